/**
 * Ranges of integers, exact at any size. An integer of JSON is a mathematical one: a Rust plugin writes and reads all of
 * `i64` and `u64`, so a bound of 2^63 − 1 is not 2^63.
 */

export interface Range {
  /** The least integer of the range; undefined is no bound. */
  min?: bigint;
  /** The greatest. */
  max?: bigint;
}

/** The least integer that is at least (or, exclusively, above) a bound, which need not be an integer itself. */
export function least(bound: number | bigint, exclusive: boolean): bigint {
  if (typeof bound === 'bigint') return exclusive ? bound + 1n : bound;
  return exclusive ? BigInt(Math.floor(bound)) + 1n : BigInt(Math.ceil(bound));
}

/** The mirror of `least`. */
export function greatest(bound: number | bigint, exclusive: boolean): bigint {
  return -least(-bound, exclusive);
}

export function isEmpty(range: Range): boolean {
  return range.min !== undefined && range.max !== undefined && range.min > range.max;
}

function has(range: Range, value: bigint): boolean {
  return (range.min === undefined || value >= range.min) && (range.max === undefined || value <= range.max);
}

/** The same with every number rounded to a double, as JavaScript reads JSON. */
function hasRounded(range: Range, value: bigint): boolean {
  const rounded = Number(value);
  return (
    (range.min === undefined || rounded >= Number(range.min)) &&
    (range.max === undefined || rounded <= Number(range.max))
  );
}

/** The integer of a range, not an empty one, that is nearest to 0. */
export function nearestToZero(range: Range): bigint {
  if (range.min !== undefined && range.min > 0n) return range.min;
  return range.max !== undefined && range.max < 0n ? range.max : 0n;
}

/**
 * Integers of `sender` that `receiver` does not have: at most one below its range and one above it. Where there is a
 * choice, the value is one on which a reader that rounds to doubles agrees.
 */
export function outsiders(sender: Range, receiver: Range): bigint[] {
  const negated = (range: Range): Range => ({
    min: range.max === undefined ? undefined : -range.max,
    max: range.min === undefined ? undefined : -range.min,
  });
  const below = outsiderAbove(negated(sender), receiver.min === undefined ? undefined : -receiver.min);
  const above = outsiderAbove(sender, receiver.max);
  return [...(below === undefined ? [] : [-below]), ...(above === undefined ? [] : [above])];
}

function outsiderAbove(sender: Range, max: bigint | undefined): bigint | undefined {
  if (max === undefined) return undefined;
  const least = max + 1n;
  // 2^-51 of the bound is more than rounding can take away.
  const beyondRounding = least + ((least < 0n ? -least : least) >> 51n);
  const candidates = [least, beyondRounding, sender.min, sender.max].filter(
    (value) => value !== undefined && value > max && has(sender, value),
  ) as bigint[];
  const refused = (value: bigint) => Number(value) > Number(max) && hasRounded(sender, value);
  return candidates.find(refused) ?? candidates[0];
}
