import { diffLines } from 'diff';

/** A row of a comparison: lines that are on both sides, on one of them, or so many that are left out. */
export type DiffRow = { kind: 'same' | 'added' | 'removed'; line: string } | { kind: 'skipped'; count: number };

/** Lines that are shown around what differs. */
const CONTEXT = 3;
/** A comparison that takes longer, in milliseconds, is given up: all of the one is removed then, all of the other added. */
const PATIENCE = 500;

/** How to get from one text to another, a row for each line; empty when they are the same. */
export function compareLines(before: string, after: string): DiffRow[] {
  if (before === after) return [];
  const parts = diffLines(before, after, { timeout: PATIENCE }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return parts.flatMap(({ value, added, removed }, at): DiffRow[] => {
    const lines = value.replace(/\n$/, '').split('\n');
    if (value === '') return [];
    if (added || removed) return lines.map((line) => ({ kind: added ? 'added' : 'removed', line }));
    const head = at === 0 ? 0 : CONTEXT;
    const tail = at === parts.length - 1 ? 0 : CONTEXT;
    const same = (line: string): DiffRow => ({ kind: 'same', line });
    const count = lines.length - head - tail;
    if (count <= 1) return lines.map(same);
    return [
      ...lines.slice(0, head).map(same),
      { kind: 'skipped', count },
      ...lines.slice(lines.length - tail, lines.length).map(same),
    ];
  });
}
