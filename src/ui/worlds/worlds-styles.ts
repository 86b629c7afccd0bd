import { css } from 'lit';

export const worldsStyles = css`
  :host {
    display: flex;
    flex-direction: column;
    gap: 0.75rem;
    height: 100%;
    padding: 1rem;
    overflow-y: auto;
    scrollbar-width: thin;
  }
  h2 {
    font-size: 0.9375rem;
  }
  .worlds li {
    display: grid;
    grid-template-columns: minmax(0, 1fr) max-content;
    padding: 0.5rem 0.75rem;
    border: 1px solid transparent;
    border-bottom-color: var(--line);
  }
  .worlds li[aria-current] {
    border-color: var(--line);
    border-radius: var(--radius);
    background: var(--surface);
    box-shadow: inset 3px 0 var(--accent);
  }
  .name {
    grid-column: 1 / -1;
    font-weight: 550;
    overflow-wrap: anywhere;
  }
  .name + div {
    grid-row: 2;
    align-self: center;
  }
  .actions {
    grid-row: 2;
    display: flex;
    flex-wrap: wrap;
    justify-content: flex-end;
    margin-right: -0.5rem;
  }
  .notice:empty {
    display: none;
  }
  .notice {
    display: grid;
    gap: 0.5rem;
    overflow-wrap: anywhere;
    font-size: var(--small);
  }
  .second {
    margin-top: 0.5rem;
  }
  .foot {
    display: grid;
    gap: 0.75rem;
    margin-top: auto;
  }
  sausage-storage {
    padding-top: 0.75rem;
  }
`;
