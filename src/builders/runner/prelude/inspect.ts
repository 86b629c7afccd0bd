/** Values as text for people, as `console.log` shows them. */

const DEPTH = 3;
const WIDTH = 76;
const ENTRIES = 100;

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Never throws, whatever getters and proxies do. */
export function inspect(value: unknown, depth: number = DEPTH): string {
  return show(value, depth, []);
}

function show(value: unknown, depth: number, above: object[]): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'bigint':
      return `${value}n`;
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'symbol':
    case 'undefined':
    case 'boolean':
      return String(value);
    default:
  }
  if (value === null) return 'null';
  if (above.includes(value as object)) return '[circular]';
  try {
    return showObject(value as object, depth, [...above, value as object]);
  } catch (error) {
    return `[${error instanceof Error ? error.message : 'cannot be shown'}]`;
  }
}

function showObject(value: object, depth: number, above: object[]): string {
  const inner = (item: unknown) => show(item, depth - 1, above);
  if (typeof value === 'function') {
    const kind = /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'function';
    return `[${kind} ${value.name || 'anonymous'}]`;
  }
  if (value instanceof Error) return showError(value, depth, above);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return 'Promise {}';
  const name = value.constructor?.name;
  if (depth < 0) return Array.isArray(value) ? '[Array]' : `[${name ?? 'Object'}]`;
  if (Array.isArray(value)) return block('', '[', ']', limited(value, inner));
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    const items = value as unknown as ArrayLike<unknown>;
    return block(`${name}(${items.length}) `, '[', ']', limited(items, inner));
  }
  if (value instanceof ArrayBuffer) return `ArrayBuffer { byteLength: ${value.byteLength} }`;
  if (value instanceof Map) {
    const entries = [...value].slice(0, ENTRIES).map(([key, item]) => `${inner(key)} => ${inner(item)}`);
    return block(`Map(${value.size}) `, '{', '}', entries);
  }
  if (value instanceof Set) {
    return block(`Set(${value.size}) `, '{', '}', [...value].slice(0, ENTRIES).map(inner));
  }
  const prefix = name === 'Object' ? '' : name === undefined ? '[null prototype] ' : `${name} `;
  return block(prefix, '{', '}', properties(value, inner));
}

function properties(value: object, inner: (item: unknown) => string): string[] {
  const keys = Reflect.ownKeys(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));
  const shown = keys.slice(0, ENTRIES).map((key) => {
    const name = typeof key === 'symbol' ? `[${String(key)}]` : IDENTIFIER.test(key) ? key : JSON.stringify(key);
    const { get } = Object.getOwnPropertyDescriptor(value, key) ?? {};
    return `${name}: ${get ? '[getter]' : inner((value as Record<PropertyKey, unknown>)[key])}`;
  });
  return keys.length > ENTRIES ? [...shown, `… ${keys.length - ENTRIES} more`] : shown;
}

function limited(items: ArrayLike<unknown>, inner: (item: unknown) => string): string[] {
  const shown = Array.from({ length: Math.min(items.length, ENTRIES) }, (_, at) => inner(items[at]));
  return items.length > ENTRIES ? [...shown, `… ${items.length - ENTRIES} more`] : shown;
}

function showError(error: Error, depth: number, above: object[]): string {
  const { stack, message } = error;
  // the stack was written when the error was made: its message may have changed
  const text = typeof stack === 'string' && stack.includes(message) ? stack : `${error}\n${stack ?? ''}`.trimEnd();
  const rest = properties(error, (item) => show(item, depth - 1, above)).filter(
    (entry) => !/^(stack|message):/.test(entry),
  );
  const extra = rest.length > 0 ? ` ${block('', '{', '}', rest)}` : '';
  const cause = error.cause === undefined ? '' : `\n  cause: ${show(error.cause, depth - 1, above)}`;
  const errors =
    error instanceof AggregateError ? error.errors.map((one) => `\n  ${show(one, depth - 1, above)}`).join('') : '';
  return `${text}${extra}${cause}${errors}`;
}

function block(prefix: string, open: string, close: string, entries: string[]): string {
  if (entries.length === 0) return `${prefix}${open}${close}`;
  const line = entries.join(', ');
  const space = open === '{' ? ' ' : '';
  if (line.length <= WIDTH && !line.includes('\n')) return `${prefix}${open}${space}${line}${space}${close}`;
  return `${prefix}${open}\n  ${entries.join(',\n').replaceAll('\n', '\n  ')}\n${close}`;
}
