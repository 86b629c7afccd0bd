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
