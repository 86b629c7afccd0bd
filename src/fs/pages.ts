/** Bytes in a page. */
const PAGE = 64 * 1024;
const FIRST = 256;

/** The bytes of one file in memory. What was never written takes no memory and reads as zeros. */
export class Pages {
  /** A page may be shorter than `PAGE`: the rest of it is zeros. */
  private readonly pages = new Map<number, Uint8Array>();
  /** Per page, where the last byte that was written ends. */
  private readonly ends = new Map<number, number>();
  /** Bytes that count against the limit of the file system. */
  used = 0;

  /** How many more bytes a write would use. */
  growth(offset: number, length: number): number {
    let growth = 0;
    this.eachPage(offset, length, (page, _start, end) => {
      growth += Math.max(0, end - (this.ends.get(page) ?? 0));
    });
    return growth;
  }

  write(offset: number, data: Uint8Array): void {
    this.used += this.growth(offset, data.length);
    this.eachPage(offset, data.length, (page, start, end, at) => {
      let bytes = this.pages.get(page);
      if (!bytes || bytes.length < end) {
        const grown = new Uint8Array(Math.min(PAGE, Math.max(FIRST, end, (bytes?.length ?? 0) * 2)));
        if (bytes) grown.set(bytes);
        this.pages.set(page, grown);
        bytes = grown;
      }
      bytes.set(data.subarray(at, at + end - start), start);
      if (end > (this.ends.get(page) ?? 0)) this.ends.set(page, end);
    });
  }

  /** Fills `into`, whose whole range lies within the file. */
  read(offset: number, into: Uint8Array): void {
    this.eachPage(offset, into.length, (page, start, end, at) => {
      const bytes = this.pages.get(page)?.subarray(start, end);
      if (bytes) into.set(bytes, at);
      into.fill(0, at + (bytes?.length ?? 0), at + end - start);
    });
  }

  /** Forgets what lies beyond `size`, so that it reads as zeros when the file grows again. */
  cut(size: number): void {
    const last = Math.floor(size / PAGE);
    for (const [page, end] of this.ends) {
      if (page < last) continue;
      const keep = page === last ? size - last * PAGE : 0;
      if (end <= keep) continue;
      this.used -= end - keep;
      if (keep === 0) {
        this.pages.delete(page);
        this.ends.delete(page);
      } else {
        this.pages.get(page)!.fill(0, keep);
        this.ends.set(page, keep);
      }
    }
  }

  private eachPage(
    offset: number,
    length: number,
    visit: (page: number, start: number, end: number, at: number) => void,
  ): void {
    for (let at = 0; at < length; ) {
      const page = Math.floor((offset + at) / PAGE);
      const start = offset + at - page * PAGE;
      const end = Math.min(PAGE, start + length - at);
      visit(page, start, end, at);
      at += end - start;
    }
  }
}
