/** What Rust asks of types that lead back to themselves: boxes, wrappers instead of aliases, and who has a default. */

import { type Definition, isNullable, type RustType } from './rust-types.ts';

/** The definitions in a type; `direct` leaves out those behind a `Vec`, which is an indirection of its own. */
function mentioned(type: RustType, direct: boolean): Definition[] {
  if (type.is === 'named') return [type.definition];
  return type.is === 'option' || (type.is === 'vec' && !direct) ? mentioned(type.of, direct) : [];
}

function types({ body }: Definition): RustType[] {
  if (body.is === 'struct') return body.fields.map(({ type }) => type);
  return body.is === 'alias' ? [body.of] : [];
}

/** All that is reached from a definition by one step or more. */
function reached(from: Definition, next: (definition: Definition) => Definition[]): Set<Definition> {
  const found = new Set(next(from));
  for (const definition of found) for (const other of next(definition)) found.add(other);
  return found;
}

export class Shape {
  readonly #cycles: Map<Definition, number>;
  readonly #wrappers = new Set<Definition>();
  readonly #withDefault = new Set<Definition>();

  constructor(definitions: Definition[]) {
    this.#cycles = cycles(definitions, (definition) => types(definition).flatMap((type) => mentioned(type, true)));
    const isAlias = ({ body }: Definition) => body.is === 'alias';
    const aliases = (definition: Definition) =>
      types(definition)
        .flatMap((type) => mentioned(type, false))
        .filter(isAlias);
    for (const definition of definitions) {
      if (isAlias(definition) && reached(definition, aliases).has(definition)) this.#wrappers.add(definition);
    }
    for (let before = -1; before < this.#withDefault.size; ) {
      before = this.#withDefault.size;
      for (const definition of definitions) if (this.#canHaveDefault(definition)) this.#withDefault.add(definition);
    }
  }

  /** An alias that contains itself must be a struct of its own around the type. */
  isWrapper(definition: Definition): boolean {
    return this.#wrappers.has(definition);
  }

  /** Whether the struct can derive `Default`. */
  hasDefault(definition: Definition): boolean {
    return this.#withDefault.has(definition);
  }

  #canHaveDefault({ body }: Definition): boolean {
    if (body.is === 'enum') return false;
    const needed =
      body.is === 'alias' ? [body.of] : body.fields.filter(({ required }) => required).map(({ type }) => type);
    return needed.every((type) => type.is !== 'named' || this.#withDefault.has(type.definition));
  }

  /** The text of a type, within `owner` if it stands in one. */
  text(type: RustType, owner?: Definition, direct = true): string {
    switch (type.is) {
      case 'plain':
        return type.text;
      case 'vec':
        return `Vec<${this.text(type.of, owner, false)}>`;
      case 'option':
        return isNullable(type.of) ? this.text(type.of, owner, direct) : `Option<${this.text(type.of, owner, direct)}>`;
      case 'named': {
        const { name } = type.definition;
        return owner && direct && this.#cycles.get(type.definition) === this.#cycles.get(owner) ? `Box<${name}>` : name;
      }
    }
  }
}

/** Numbers the definitions so that those which reach each other have one number (Tarjan's algorithm, without recursion). */
function cycles(definitions: Definition[], next: (definition: Definition) => Definition[]): Map<Definition, number> {
  const order = new Map<Definition, number>();
  const low = new Map<Definition, number>();
  const done = new Map<Definition, number>();
  const open: Definition[] = [];
  for (const root of definitions) {
    const path: { definition: Definition; left: Definition[] }[] = [];
    const enter = (definition: Definition) => {
      order.set(definition, order.size);
      low.set(definition, order.get(definition)!);
      open.push(definition);
      path.push({ definition, left: next(definition) });
    };
    const lower = (definition: Definition, to: number) => low.set(definition, Math.min(low.get(definition)!, to));
    if (!order.has(root)) enter(root);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { definition, left } = top;
      const child = left.pop();
      if (child && !order.has(child)) enter(child);
      else if (child) {
        if (!done.has(child)) lower(definition, order.get(child)!);
      } else {
        path.pop();
        const parent = path.at(-1);
        if (parent) lower(parent.definition, low.get(definition)!);
        if (low.get(definition) !== order.get(definition)) continue;
        for (const member of open.splice(open.indexOf(definition))) done.set(member, order.get(definition)!);
      }
    }
  }
  return done;
}
