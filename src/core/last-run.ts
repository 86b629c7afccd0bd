/** What was running when the host ended without stopping: the tab was closed, or the browser has crashed (R3.6-9). */

import type { Journal } from './host.ts';

const STARTS = 'the host starts';
/** How many entries of the journal are looked at in one step back. */
const STEP = 1000;
/** Steps back to the start of the run before; one that wrote more than this has no entry about its end. */
const MOST_STEPS = 200;

/** How the line begins with which the core notes the end of a process. */
const ENDS = /^(exit \d|trap: |killed$|not started: )/;
/** The core's own question is nothing that somebody would miss. */
const BEGINS = /^start (?!rpc\.discover )/;

/**
 * Marks the start of this run in the journal. The function that it returns looks back to the mark before, in the
 * background, and writes one entry that names the processes which had started since then and had not ended.
 */
export function markStart(journal: Journal): () => Promise<void> {
  const append = (line: string) => journal.append({ pid: 'core', plugin: 'core', stream: 'core', line });
  const { id } = append(STARTS);
  return async () => {
    const left = await runningBefore(journal, id);
    if (left.length > 0) append(`the host had ended without stopping; running then: ${left.join(', ')}`);
  };
}

/** In the order of their starts; none where there is no mark before this entry. */
async function runningBefore(journal: Journal, entry: string): Promise<string[]> {
  const ended = new Set<string>();
  const running: string[] = [];
  let until = entry;
  for (let step = 0; step < MOST_STEPS; step++) {
    const page = await journal.query({ until, limit: STEP });
    for (const { id, pid, stream, line } of page.toReversed()) {
      if (id === until || stream !== 'core') continue;
      if (pid === 'core' && line === STARTS) return running.reverse();
      if (ENDS.test(line)) ended.add(pid);
      else if (BEGINS.test(line) && !ended.has(pid)) running.push(pid);
    }
    if (page.length < STEP) break;
    until = page[0]!.id;
  }
  return [];
}
