import { css } from 'lit';

/** A pane of parts one above another, of which one takes the room that is left and scrolls by itself. */
export const column = css`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    min-height: 0;
  }
`;

/** A pane that scrolls as a whole. */
export const scrolling = css`
  :host {
    display: block;
    height: 100%;
    overflow: auto;
    scrollbar-width: thin;
  }
`;
