/**
 * Lets everybody who waits for a thing know when that thing is lost. (A race against one promise of the loss would keep
 * whatever was raced for as long as the thing lives.)
 */
export class Lifeline {
  readonly #waiting = new Set<(error: Error) => void>();
  #loss: Error | undefined;

  /** As `work`, or rejects with the loss, whichever comes first. */
  hold<T>(work: Promise<T>): Promise<T> {
    if (this.#loss) {
      work.catch(() => {});
      return Promise.reject(this.#loss);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      work.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }

  /** The thing is lost; the first time counts. */
  cut(loss: Error): void {
    this.#loss ??= loss;
    for (const reject of this.#waiting) reject(this.#loss);
    this.#waiting.clear();
  }
}
