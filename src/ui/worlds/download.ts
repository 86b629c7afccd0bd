/** Hands a file to the visitor, under the name `file`. */
export function download(blob: Blob, file: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = file;
  link.click();
  // The download has its own hold on the data once it has begun; a minute is enough for every browser to begin.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
