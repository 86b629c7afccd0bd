/** `expect(value).toBe(…)` and its like: what is expected, in words, and an error that shows both sides. */

type Check = (value: unknown, ...expected: never[]) => boolean;

/** A value as an error message shows it. */
export function inspect(value: unknown): string {
  if (typeof value === 'function') return `[function ${value.name}]`;
  if (value instanceof Error) return String(value);
  if (value instanceof Map || value instanceof Set) return `${value.constructor.name} ${inspect([...value])}`;
  const text = JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? `${item}n` : item), 1);
  return (text ?? String(value)).replace(/\n\s*/g, ' ');
}

/** The same content, whatever the identity. Undefined properties count as absent. */
function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (a instanceof Date) return a.getTime() === (b as Date).getTime();
  if (a instanceof RegExp) return String(a) === String(b);
  if (a instanceof Error) return a.name === (b as Error).name && a.message === (b as Error).message;
  if (a instanceof Map || a instanceof Set) {
    return a.size === (b as typeof a).size && equal([...a], [...(b as typeof a)]);
  }
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  if (Array.isArray(a) && a.length !== (b as unknown[]).length) return false;
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].every((key) => equal(left[key], right[key]));
}

/** `part` stands in `whole`: every property that it has, and for arrays every element. */
function matches(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null || typeof whole !== 'object' || whole === null) {
    return equal(whole, part);
  }
  if (Array.isArray(part) && (whole as unknown[]).length !== part.length) return false;
  return Object.entries(part).every(([key, item]) => matches((whole as Record<string, unknown>)[key], item));
}

function contains(value: unknown, item: unknown): boolean {
  if (typeof value === 'string') return value.includes(String(item));
  return [...(value as Iterable<unknown>)].some((one) => equal(one, item));
}

function failsWith(error: unknown, expected: string | RegExp | undefined): boolean {
  if (expected === undefined) return true;
  const message = error instanceof Error ? error.message : String(error);
  return typeof expected === 'string' ? message.includes(expected) : expected.test(message);
}

const CHECKS = {
  toBe: (value: unknown, expected: unknown) => Object.is(value, expected),
  toEqual: (value: unknown, expected: unknown) => equal(value, expected),
  toMatchObject: (value: unknown, expected: object) => matches(value, expected),
  toMatch: (value: unknown, expected: RegExp | string) =>
    typeof expected === 'string' ? String(value).includes(expected) : expected.test(String(value)),
  toContain: (value: unknown, expected: unknown) => contains(value, expected),
  toHaveLength: (value: unknown, expected: number) => (value as ArrayLike<unknown>).length === expected,
  toBeGreaterThan: (value: unknown, expected: number) => (value as number) > expected,
  toBeLessThan: (value: unknown, expected: number) => (value as number) < expected,
  toBeInstanceOf: (value: unknown, expected: new (...args: never[]) => unknown) => value instanceof expected,
  toBeTruthy: (value: unknown) => Boolean(value),
  toBeUndefined: (value: unknown) => value === undefined,
  toBeNull: (value: unknown) => value === null,
} satisfies Record<string, Check>;

type Checks = {
  [K in keyof typeof CHECKS]: (...expected: Parameters<(typeof CHECKS)[K]> extends [unknown, ...infer E] ? E : []) => void;
};

export interface Expectation extends Checks {
  not: Checks & { toThrow(): void };
  /** For a function. The message of the error contains the string or matches the pattern. */
  toThrow(message?: string | RegExp): void;
  /** For a promise. */
  rejects: { toThrow(message?: string | RegExp): Promise<void> };
}

const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function checks(value: unknown, wanted: boolean): Checks {
  const entries = Object.entries(CHECKS as unknown as Record<string, Check>).map(([name, check]) => {
    const run = (...expected: never[]) => {
      if (check(value, ...expected) === wanted) return;
      throw new Error(`expected ${inspect(value)} ${wanted ? '' : 'not '}${words(name)} ${expected.map(inspect)}`.trim());
    };
    return [name, run];
  });
  return Object.fromEntries(entries);
}

/** Whether a function throws, and what. */
function thrown(run: unknown): { error: unknown } | undefined {
  try {
    (run as () => unknown)();
  } catch (error) {
    return { error };
  }
  return undefined;
}

function mustFail(failure: { error: unknown } | undefined, message: string | RegExp | undefined): void {
  if (!failure) throw new Error('expected an error, and there was none');
  if (!failsWith(failure.error, message)) throw new Error(`expected an error with ${message}, not ${failure.error}`);
}

export function expect(value: unknown): Expectation {
  return {
    ...checks(value, true),
    not: {
      ...checks(value, false),
      toThrow() {
        const failure = thrown(value);
        if (failure) throw new Error(`expected no error, and there was ${failure.error}`);
      },
    },
    toThrow: (message) => mustFail(thrown(value), message),
    rejects: {
      async toThrow(message) {
        const failure = await Promise.resolve(value).then(
          () => undefined,
          (error: unknown) => ({ error }),
        );
        mustFail(failure, message);
      },
    },
  };
}
