/**
 * Where the lines of a bundle come from, in the form in which the runner carries it: a line with the names of the sources
 * (JSON), then one line for each line of the bundle with `column,source,line,column` for each place, separated by `;`.
 * Lines and columns count from 1. Unlike a source map, a line can be read without the lines before it.
 */

interface SourceMap {
  sources: string[];
  mappings: string;
}

const DIGITS = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((digit, value) => [digit, value]),
);

/** The numbers of one segment of a source map, which are Base64 VLQ. */
function numbers(segment: string): number[] {
  const result: number[] = [];
  let [value, shift] = [0, 0];
  for (const letter of segment) {
    const digit = DIGITS.get(letter) ?? 0;
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    result.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return result;
}

/** `show` gives a source the name that people read. */
export function lineTable(map: SourceMap, show: (source: string) => string): string {
  let [source, line, column] = [0, 0, 0];
  const lines = map.mappings.split(';').map((row) => {
    let at = 0;
    const places: string[] = [];
    for (const segment of row === '' ? [] : row.split(',')) {
      const [forward = 0, nextSource, nextLine = 0, nextColumn = 0] = numbers(segment);
      at += forward;
      if (nextSource === undefined) continue;
      source += nextSource;
      line += nextLine;
      column += nextColumn;
      places.push(`${at + 1},${source},${line + 1},${column + 1}`);
    }
    return places.join(';');
  });
  return [JSON.stringify(map.sources.map(show)), ...lines].join('\n');
}
