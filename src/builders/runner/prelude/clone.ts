/** `structuredClone` for all that can live in one program: no transfer, no functions, no platform objects. */

const refuse = (value: unknown): never => {
  const what = typeof value === 'function' ? `the function ${value.name || '(anonymous)'}` : String(value);
  throw new DOMException(`${what} could not be cloned`, 'DataCloneError');
};

const ERRORS = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];

function clone(value: unknown, seen: Map<object, unknown>): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') return refuse(value);
  if (typeof value !== 'object' || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  const keep = <T>(copy: T): T => {
    seen.set(value, copy);
    return copy;
  };
  if (value instanceof Date) return keep(new Date(value.getTime()));
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
  if (value instanceof ArrayBuffer) return keep(value.slice(0));
  if (ArrayBuffer.isView(value)) return keep(cloneView(value, clone(value.buffer, seen) as ArrayBuffer));
  if (value instanceof Boolean || value instanceof Number || value instanceof String) {
    return keep(Object(value.valueOf()));
  }
  if (value instanceof Map) {
    const copy = keep(new Map());
    for (const [key, item] of [...value]) copy.set(clone(key, seen), clone(item, seen));
    return copy;
  }
  if (value instanceof Set) {
    const copy = keep(new Set());
    for (const item of [...value]) copy.add(clone(item, seen));
    return copy;
  }
  if (value instanceof Error) {
    const kind = ERRORS.find(({ name }) => name === value.name) ?? Error;
    const copy = keep(new kind(value.message));
    for (const key of ['stack', 'cause'] as const) {
      if (Object.hasOwn(value, key)) {
        const item = clone(value[key], seen);
        Object.defineProperty(copy, key, { value: item, writable: true, configurable: true });
      }
    }
    return copy;
  }
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) {
    return refuse(Object.prototype.toString.call(value));
  }
  const copy = keep(Array.isArray(value) ? new Array(value.length) : {}) as Record<string, unknown>;
  for (const key of Object.keys(value)) copy[key] = clone((value as Record<string, unknown>)[key], seen);
  return copy;
}

function cloneView(view: ArrayBufferView, buffer: ArrayBuffer): ArrayBufferView {
  if (view instanceof DataView) return new DataView(buffer, view.byteOffset, view.byteLength);
  const array = view as Uint8Array;
  return new (array.constructor as Uint8ArrayConstructor)(buffer, array.byteOffset, array.length);
}

function structuredClone(...args: unknown[]): unknown {
  if (args.length === 0) throw new TypeError('structuredClone needs a value');
  return clone(args[0], new Map());
}

Object.defineProperty(globalThis, 'structuredClone', { value: structuredClone, writable: true, configurable: true });
