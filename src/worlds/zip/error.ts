/** A zip that is refused. The message is for the visitor and names the entry where there is one. */
export class ZipError extends Error {
  override readonly name = 'ZipError';
  readonly entry: string | undefined;

  constructor(problem: string, entry?: string, options?: ErrorOptions) {
    super(entry === undefined ? problem : `${printable(entry)}: ${problem}`, options);
    this.entry = entry;
  }
}

function printable(name: string): string {
  const short = name.length > 200 ? `${name.slice(0, 200)}…` : name;
  return /[\p{Cc}\p{Cf}]/u.test(short) ? JSON.stringify(short) : short;
}
