/** How near to its end, in pixels, something counts as being there. */
const NEAR = 30;

/** Keeps something that scrolls at its end while it grows, until the visitor scrolls up. */
export class Tail {
  #follows = true;
  #top = 0;

  /** To be called at each `scroll` event. Only a step up ends the following: growth alone looks like distance too. */
  scrolled(element: Element): void {
    const { scrollTop, scrollHeight, clientHeight } = element;
    // What is not shown has no height and scrolls nowhere.
    if (clientHeight === 0) return;
    if (scrollHeight - scrollTop - clientHeight < NEAR) this.#follows = true;
    else if (scrollTop < this.#top) this.#follows = false;
    this.#top = scrollTop;
  }

  /** Follows again, whatever the visitor did before. */
  again(): void {
    this.#follows = true;
  }

  /** To be called when the element has grown. */
  grown(element: Element): void {
    if (this.#follows) element.scrollTop = element.scrollHeight;
  }
}
