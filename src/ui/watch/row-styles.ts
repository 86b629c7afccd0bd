import { css } from 'lit';

/** Rows of things that run: a name, whose it is, and what can be done with it. */
export const rowStyles = css`
  li {
    padding: 0.5rem 0;
    border-bottom: 1px solid var(--line);
  }
  .what {
    display: flex;
    justify-content: space-between;
    align-items: baseline;
    gap: 0.75rem;
  }
  .name {
    font: 600 var(--small) var(--mono);
    overflow-wrap: anywhere;
  }
  .pid {
    font: 0.75rem var(--mono);
    color: var(--quiet);
    overflow-wrap: anywhere;
  }
  .actions {
    display: flex;
    margin-left: -0.5rem;
  }
  p {
    padding-top: 0.5rem;
  }
`;
