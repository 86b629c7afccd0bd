/** Prints figures, one JSON object a line, each with the raw floor that was measured in the same run. */

import { appendFileSync } from 'node:fs';
import { expect } from 'vitest';

export interface Figure {
  name: string;
  /** `score`: the sum of what has moved, as browsers count a layout shift. */
  unit: 'ms' | 'µs' | 'bytes' | 'calls/s' | 'MB/s' | 'score';
  value: number;
  /** What the same work costs without us. */
  floor?: number;
  /** What the floor is. */
  of?: string;
  /** How many times the floor it may be; checked everywhere. */
  most?: number;
  /** The aim on the reference machine (2 cores, nothing else running); told, and not checked. */
  goal?: number;
  /** A bound that does not depend on the machine, such as a size; checked everywhere. */
  limit?: number;
}

const rounded = (value: number) => Number(value.toPrecision(4));

/** Reports a figure and checks its ratio. */
export function figure({ value, floor, ...rest }: Figure): void {
  const line = {
    ...rest,
    value: rounded(value),
    ...(floor !== undefined && { floor: rounded(floor), ratio: rounded(value / floor) }),
  };
  const { SAUSAGE_FIGURES } = process.env;
  if (SAUSAGE_FIGURES) appendFileSync(SAUSAGE_FIGURES, `${JSON.stringify(line)}\n`);
  else console.log(JSON.stringify(line));
  if (floor !== undefined && rest.most !== undefined) expect(value / floor, rest.name).toBeLessThanOrEqual(rest.most);
  if (rest.limit !== undefined) expect(value, rest.name).toBeLessThanOrEqual(rest.limit);
}

export const median = (sorted: number[]): number => sorted[Math.floor(sorted.length / 2)]!;
