import type { Binder, BoundResource, CoreFunction, Imports } from './bind.ts';

/** The same function with a line for each call. */
export function tracedCall(name: string, call: CoreFunction, print: (line: string) => void): CoreFunction {
  return (...args: unknown[]) => {
    const began = performance.now();
    let outcome = 'threw';
    try {
      const result: unknown = call(...args);
      outcome = result === undefined ? '' : `= ${result}`;
      return result;
    } finally {
      print(`${name}(${args.join(', ')}) ${outcome} ${((performance.now() - began) * 1000).toFixed(0)} µs`);
    }
  };
}

/**
 * The same imports with one line for each call of a host function: its name and its arguments as numbers, what it
 * returned (results in memory are not shown), and how long it took. Costs nothing where it is not used.
 */
export function traced(imports: Imports, print: (line: string) => void): Imports {
  const wrap =
    (name: string, binder: Binder): Binder =>
    (options) =>
      tracedCall(name, binder(options), print);

  const copy: Imports = Object.create(Object.getPrototypeOf(imports));
  for (const [interfaceName, members] of Object.entries(imports)) {
    const bound: Imports[string] = Object.create(Object.getPrototypeOf(members));
    for (const [name, member] of Object.entries(members)) {
      const full = `${interfaceName}/${name}`;
      const type = wrap(full, member) as BoundResource;
      const { prototype } = member as BoundResource;
      if (prototype) {
        type.prototype = Object.create(Object.getPrototypeOf(prototype));
        for (const [method, binder] of Object.entries(prototype)) {
          type.prototype[method] = wrap(`${full}.${method}`, binder);
        }
        for (const key of Reflect.ownKeys(member)) {
          const value = (member as BoundResource)[key];
          if (typeof key === 'symbol') {
            const drop = value as (handle: number) => void;
            type[key] = (handle: number) => {
              print(`${full}.drop(${handle})`);
              drop(handle);
            };
          } else if (typeof value === 'function') type[key] = wrap(`${full}.${key}`, value as Binder);
        }
      }
      bound[name] = type;
    }
    copy[interfaceName] = bound;
  }
  return copy;
}
