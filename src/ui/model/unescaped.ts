/** Text of an address as it was before it was escaped; one that was not, with a `%` of its own, stays as it is. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
