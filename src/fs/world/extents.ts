interface Extent {
  start: number;
  end: number;
  data: Uint8Array;
}

/** Pieces of a file that are newer than what the storage has: sorted, none over another. */
export class Extents {
  private extents: Extent[] = [];
  /** Bytes in all pieces. */
  bytes = 0;

  get empty(): boolean {
    return this.extents.length === 0;
  }

  /** The data is kept, not copied. It takes the place of what was there. */
  write(start: number, data: Uint8Array): void {
    const end = start + data.length;
    this.bytes += data.length;
    const last = this.extents.at(-1);
    if (!last || last.end <= start) {
      this.extents.push({ start, end, data });
      return;
    }
    const first = this.firstEndingAfter(start);
    let after = first;
    const replaced: Extent[] = [];
    for (; after < this.extents.length && this.extents[after]!.start < end; after++) {
      const old = this.extents[after]!;
      if (old.start < start)
        replaced.push({ start: old.start, end: start, data: old.data.subarray(0, start - old.start) });
      this.bytes -= Math.min(old.end, end) - Math.max(old.start, start);
      if (after === first) replaced.push({ start, end, data });
      if (old.end > end) replaced.push({ start: end, end: old.end, data: old.data.subarray(end - old.start) });
    }
    if (after === first) replaced.push({ start, end, data });
    this.extents.splice(first, after - first, ...replaced);
  }

  /** Forgets what lies at or beyond `size`. */
  cut(size: number): void {
    while (this.extents.length > 0) {
      const last = this.extents[this.extents.length - 1]!;
      if (last.end <= size) return;
      this.bytes -= last.end - Math.max(size, last.start);
      if (last.start < size) {
        last.data = last.data.subarray(0, size - last.start);
        last.end = size;
        return;
      }
      this.extents.pop();
    }
  }

  clear(): void {
    this.extents = [];
    this.bytes = 0;
  }

  /** Copies what lies within `into`, which stands for the bytes from `offset` on, over what `into` holds. */
  read(offset: number, into: Uint8Array): void {
    const end = offset + into.length;
    for (let i = this.firstEndingAfter(offset); i < this.extents.length; i++) {
      const extent = this.extents[i]!;
      if (extent.start >= end) return;
      const from = Math.max(extent.start, offset);
      into.set(extent.data.subarray(from - extent.start, Math.min(extent.end, end) - extent.start), from - offset);
    }
  }

  /** Whether every byte from `offset` to `end` is here. */
  covers(offset: number, end: number): boolean {
    let reached = offset;
    for (let i = this.firstEndingAfter(offset); i < this.extents.length && reached < end; i++) {
      const extent = this.extents[i]!;
      if (extent.start > reached) return false;
      reached = extent.end;
    }
    return reached >= end;
  }

  /** Neighbouring pieces joined up to `limit` bytes, in order: what is to be written to the file. */
  *runs(limit: number): Generator<{ start: number; data: Uint8Array }> {
    for (let i = 0; i < this.extents.length; ) {
      const first = this.extents[i]!;
      let j = i + 1;
      let end = first.end;
      while (j < this.extents.length && this.extents[j]!.start === end && this.extents[j]!.end - first.start <= limit) {
        end = this.extents[j++]!.end;
      }
      if (j === i + 1) {
        yield { start: first.start, data: first.data };
      } else {
        const data = new Uint8Array(end - first.start);
        for (let k = i; k < j; k++) data.set(this.extents[k]!.data, this.extents[k]!.start - first.start);
        yield { start: first.start, data };
      }
      i = j;
    }
  }

  /** The index of the first piece that ends after `offset`. */
  private firstEndingAfter(offset: number): number {
    let low = 0;
    let high = this.extents.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.extents[middle]!.end > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
