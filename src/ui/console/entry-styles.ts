import { css } from 'lit';

export const entryStyles = css`
  :host {
    display: block;
    padding: 0.6rem 0;
    border-top: 1px solid var(--line);
  }
  .head {
    display: flex;
    gap: 0.75rem;
    align-items: baseline;
    justify-content: space-between;
  }
  .line {
    font-size: 0.875rem;
    font-weight: 600;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    min-width: 0;
  }
  .mark {
    color: var(--accent);
  }
  .aside {
    display: flex;
    align-items: baseline;
    gap: 0.25rem;
    flex: none;
    white-space: nowrap;
  }
  .aside button {
    min-height: 1.5rem;
  }
  .copy {
    min-width: 4.2rem;
    text-align: right;
  }
  .running::before {
    content: '';
    display: inline-block;
    width: 0.5em;
    height: 0.5em;
    margin-right: 0.45em;
    border-radius: 50%;
    background: var(--accent);
    animation: breathe 1.6s ease-in-out infinite alternate;
  }
  @keyframes breathe {
    to {
      opacity: 0.25;
    }
  }
  .output,
  .notes,
  .stderr {
    margin-top: 0.4rem;
  }
  .notes {
    display: grid;
    gap: 0.25rem;
  }
  .bar {
    display: grid;
    grid-template-columns: minmax(5rem, max-content) minmax(4rem, 18rem) max-content;
    gap: 0.75rem;
    align-items: center;
  }
  pre {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    font-size: var(--small);
    line-height: 1.55;
  }
  pre.text {
    max-height: 28rem;
    overflow: auto;
  }
  .stderr pre {
    max-height: 18rem;
    overflow: auto;
    padding-left: 0.75rem;
    border-left: 3px solid var(--line);
    color: var(--quiet);
  }
  .folder {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr));
    gap: 0.1rem 1.5rem;
    font-size: var(--small);
    line-height: 1.7;
  }
  .folder li {
    overflow-wrap: anywhere;
  }
  .folder .directory {
    color: var(--accent);
  }
  .time {
    font-variant-numeric: tabular-nums;
  }
  @media (max-width: 30rem) {
    .bar {
      grid-template-columns: 1fr max-content;
    }
    .bar sausage-progress {
      grid-row: 2;
      grid-column: 1 / -1;
    }
  }
`;
