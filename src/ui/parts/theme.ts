import { css } from 'lit';

/** Colours, type and space of the whole page, as custom properties: each element reads them, none sets its own. */
export const pageStyles = css`
  :root {
    color-scheme: light dark;
    --paper: light-dark(#faf8f4, #161412);
    --surface: light-dark(#fffefc, #1e1b19);
    --sunken: light-dark(#f3efe8, #110f0e);
    --ink: light-dark(#26221d, #ece6df);
    --quiet: light-dark(#6a6157, #a79d92);
    --line: light-dark(#e6dfd4, #342f2b);
    --control: light-dark(#8d8377, #7d746a);
    --accent: light-dark(#9d3f24, #f19a78);
    --accent-soft: light-dark(#f7e8e1, #35211a);
    --on-accent: light-dark(#fffefc, #1e1310);
    --good: light-dark(#3c6b3f, #93c795);
    --bad: light-dark(#a3262a, #ff938c);
    --bad-soft: light-dark(#fbeaea, #351c1b);
    --string: light-dark(#3c6b3f, #a5cfa0);
    --number: light-dark(#0f5c8a, #8dc3ea);
    --key: light-dark(#7a4b12, #dcb27a);
    --shadow: light-dark(#4d3f2f26, #00000080);
    --sans: ui-sans-serif, system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Helvetica Neue', Arial, sans-serif;
    --mono: ui-monospace, 'SF Mono', SFMono-Regular, 'Cascadia Mono', 'JetBrains Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
    --small: 0.8125rem;
    --radius: 6px;
  }
  html {
    height: 100%;
    background: var(--paper);
    color: var(--ink);
    font: 400 0.9375rem / 1.5 var(--sans);
    -webkit-text-size-adjust: 100%;
    text-size-adjust: 100%;
  }
  html.large {
    font-size: 1.40625rem;
  }
  body {
    margin: 0;
    height: 100%;
    overflow: hidden;
  }
  sausage-playground {
    height: 100vh;
    height: 100dvh;
  }
`;

/** Controls and text as every element draws them. */
export const base = css`
  :host {
    box-sizing: border-box;
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  *,
  *::before,
  *::after {
    box-sizing: inherit;
  }
  h1,
  h2,
  h3,
  p,
  ul,
  ol,
  dl,
  dd,
  pre,
  figure {
    margin: 0;
    padding: 0;
  }
  h1,
  h2,
  h3 {
    font-size: 1rem;
    font-weight: 600;
    line-height: 1.35;
    text-wrap: balance;
  }
  ul,
  ol {
    list-style: none;
  }
  code,
  pre,
  kbd {
    font-family: var(--mono);
    font-size: 0.92em;
  }
  button,
  input {
    font: inherit;
    color: inherit;
  }
  button {
    min-height: 2rem;
    padding: 0.2rem 0.75rem;
    border: 1px solid var(--control);
    border-radius: var(--radius);
    background: var(--surface);
    font-size: 0.875rem;
    cursor: pointer;
  }
  button:hover:not(:disabled) {
    border-color: var(--accent);
    color: var(--accent);
  }
  button:disabled {
    opacity: 0.55;
    cursor: default;
  }
  button.main {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--on-accent);
    font-weight: 550;
  }
  button.main:hover:not(:disabled) {
    color: var(--on-accent);
    filter: brightness(1.08);
  }
  button.plain {
    min-height: 1.75rem;
    padding: 0.1rem 0.5rem;
    border-color: transparent;
    background: none;
    color: var(--quiet);
    font-size: var(--small);
  }
  button.plain:hover:not(:disabled) {
    border-color: transparent;
    color: var(--accent);
    text-decoration: underline;
    text-underline-offset: 0.2em;
  }
  button.danger {
    color: var(--bad);
  }
  input {
    min-height: 2.25rem;
    width: 100%;
    padding: 0.3rem 0.6rem;
    border: 1px solid var(--control);
    border-radius: var(--radius);
    background: var(--surface);
  }
  ::placeholder {
    color: var(--quiet);
    opacity: 1;
  }
  :focus {
    outline: none;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  .quiet {
    color: var(--quiet);
  }
  .small {
    font-size: var(--small);
  }
  .mono {
    font-family: var(--mono);
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
  }
  .hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @media (pointer: coarse) {
    button {
      min-height: 2.5rem;
    }
    button.plain {
      min-height: 2.25rem;
    }
    input {
      /* Below 16 px phones zoom into a field. */
      font-size: 1rem;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    *,
    *::before,
    *::after {
      animation: none !important;
      transition: none !important;
    }
  }
`;

/** Puts the page's own styles into effect; a constructed sheet, which the Content-Security-Policy allows. */
export function adoptPageStyles(): void {
  const sheet = pageStyles.styleSheet;
  if (sheet) document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
