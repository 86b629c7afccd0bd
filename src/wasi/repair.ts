/**
 * Repairs the JavaScript that jco 1.35 generates with `importBindings: 'direct-optimized'`. In that mode jco calls each
 * imported function once per instance with `{ memory, realloc }` and takes what it returns as the core function, which
 * is what the WASI host in this folder wants. The text has two faults and much dead weight:
 *
 * 1. the wrappers of jco's default bindings are still there and declare `let trampolineN` a second time, so that the
 *    module does not even parse: they are cut out, with the type descriptions in them (half of the text and more);
 * 2. a resource drop looks into a handle table of jco that nobody fills, because the host hands out its own numbers:
 *    a handle of a table that was never filled is passed on to the host as it is. Tables that jco fills itself (for
 *    resources that a component defines) work as before.
 *
 * A text of another shape is refused, so that a new version of jco is noticed here and not in a running program.
 */

const HEAD = '"use components";\nexport function instantiate(getCoreModule, imports, instantiateCore = ';
/** jco's indentation wanders with what a component uses, so only that the two ends agree is asked. */
const LEFTOVER = /\n( *)let (trampoline\d+) = _\2\.manuallyAsync \? [\s\S]*?\n\1\);(?=\n)/g;
const REMOVE = /(function rscTableRemove\(table, handle\) \{\n)( *)(const scope = table\[handle << 1\];\n)/;
const REMOVE_REPAIRED = '$1$2if (table.length === 2) return { rep: handle, scope: 0, own: true };\n$2$3';

/** Thrown for a text that is not the output of the version of jco that this repair was written for. */
export class RepairError extends Error {
  override readonly name = 'RepairError';
}

export function repair(script: string): string {
  if (!script.startsWith(HEAD)) throw unknown('its head is another one');
  const declared = new Set(Array.from(script.matchAll(/\n *let (trampoline\d+);/g), (match) => match[1]));
  const cut = script.replace(LEFTOVER, (piece, _indent, name: string) => {
    if (piece.split(/\n *let trampoline/).length > 2) throw unknown(`${name} does not end where it should`);
    if (!declared.has(name)) throw unknown(`${name} is declared only once`);
    return '';
  });
  const reference = /\b_trampoline\d+\b|\.manuallyAsync/.exec(cut);
  if (reference) throw unknown(`${reference[0]} is still used`);

  const removes = cut.split('function rscTableRemove').length - 1;
  if (removes > 1 || (removes === 1 && !REMOVE.test(cut))) throw unknown('its handle tables are others');
  // Set on each core function of each instance, read only for asynchronous exports, which these components have not.
  return cut.replace(REMOVE, REMOVE_REPAIRED).replace(/Object\.assign\((.+?), \{ _jcoMaySuspend: false \}\)/g, '$1');
}

function unknown(why: string): RepairError {
  return new RepairError(`This is not the output of the version of jco that is expected here: ${why}.`);
}
