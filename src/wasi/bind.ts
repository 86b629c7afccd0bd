/**
 * From functions of this folder to the import object that jco's direct-optimized bindings want (see `repair.ts`): each
 * import is called once for an instance with `{ memory, realloc }` and returns the core function; a resource is a
 * function with the methods in its prototype, and `Symbol.for('cabiDispose')` drops a handle.
 */

import type { Host, Lowering } from './host.ts';
import type { Guest } from './memory.ts';

// biome-ignore lint/suspicious/noExplicitAny: core functions take and return numbers and bigints as each type says
export type CoreFunction = (...args: any[]) => any;

/** A host function, made for a guest's memory. */
export type Lowered = (guest: Guest) => CoreFunction;

export interface ResourceSpec {
  make?: Lowered;
  methods: Record<string, Lowered>;
  statics?: Record<string, Lowered>;
}

/** A resource of an interface: tells it apart from a function. */
export class Resource {
  readonly spec: ResourceSpec;
  constructor(spec: ResourceSpec) {
    this.spec = spec;
  }
}

export function resource(methods: ResourceSpec['methods'] = {}, more: Omit<ResourceSpec, 'methods'> = {}): Resource {
  return new Resource({ methods, ...more });
}

/** The interface names are without versions: any `0.2.x` links. */
export type Interfaces = Record<string, Record<string, Lowered | Resource>>;

export type Binder = (options: Lowering) => CoreFunction;
export type BoundResource = Binder & Record<string | symbol, unknown> & { prototype: Record<string, Binder> };
export type Imports = Record<string, Record<string, Binder | BoundResource>>;

const DISPOSE = Symbol.for('cabiDispose');

/** An import that the host does not have; the message names it (R3.1-1). */
export class MissingImport extends Error {
  override readonly name = 'MissingImport';
}

/** A prototype that is reached only for names which an object does not have. */
function missing(describe: (name: string) => string): object {
  return new Proxy(Object.create(null) as object, {
    get(_, name) {
      if (typeof name === 'string') throw new MissingImport(describe(name));
    },
  });
}

export function bind(host: Host, interfaces: Interfaces): Imports {
  const binder = (lowered: Lowered): Binder => {
    const usual = lowered(host.guest);
    return (options) => {
      const guest = host.guestFor(options);
      return guest === host.guest ? usual : lowered(guest);
    };
  };
  const binders = (functions: Record<string, Lowered>): Record<string, Binder> =>
    Object.fromEntries(Object.entries(functions).map(([name, lowered]) => [name, binder(lowered)]));

  const imports: Imports = Object.create(
    missing((name) => `the component imports ${name}, which this host does not have`),
  );
  for (const [interfaceName, members] of Object.entries(interfaces)) {
    const absent = (name: string) => `the component imports ${name} of ${interfaceName}, which this host does not have`;
    const bound: Imports[string] = Object.create(missing(absent));
    for (const [name, member] of Object.entries(members)) {
      if (!(member instanceof Resource)) {
        bound[name] = binder(member);
        continue;
      }
      const { make, methods, statics = {} } = member.spec;
      const absentMethod = missing((method) => absent(`${name}.${method}`));
      const type = (make ? binder(make) : () => undefined) as BoundResource;
      type.prototype = Object.assign(Object.create(absentMethod), binders(methods));
      Object.assign(type, binders(statics), { [DISPOSE]: (handle: number) => host.resources.drop(handle) });
      bound[name] = type;
    }
    imports[interfaceName] = bound;
  }
  return imports;
}
