import { expect, test, vi } from 'vitest';
import { markStart } from '../../../src/core/last-run.ts';
import { answers, type Behaviour, document, type ListJournal, testWorld, waits } from './world.ts';

const tellings = (journal: ListJournal) =>
  journal.entries.filter(({ line }) => line.startsWith('the host had ended without stopping'));

/** Answers rpc.discover and `quick`, lives until the end of its stdin in other calls. */
const works: Behaviour = async (program) => {
  const { id, method } = await program.read();
  if (method === 'rpc.discover') program.send({ id, result: document({}) });
  else if (method === 'quick') program.send({ id, result: null });
  else await waits(program);
};

test('R3.6-9 the boot after a crash writes one entry that names what was running', async () => {
  const { core, journal, call } = await testWorld({ works });
  await markStart(journal)();
  expect(tellings(journal)).toEqual([]);
  const hanging = [call('works.one'), call('works.two')].map((reply) => reply.catch(() => {}));
  await call('works.quick');
  await vi.waitFor(() => expect(core.processes.count).toBe(2));
  const pids = [...core.processes].map(({ pid }) => pid);
  // more than is looked at in one step
  for (let count = 0; count < 3000; count++)
    journal.append({ pid: pids[0]!, plugin: 'works', stream: 'stderr', line: 'killed' });
  await markStart(journal)();
  expect(tellings(journal)).toMatchObject([
    { pid: 'core', stream: 'core', line: expect.stringMatching(`: ${pids.join(', ')}$`) },
  ]);
  // what one boot has told, the next does not tell again
  await markStart(journal)();
  expect(tellings(journal)).toHaveLength(1);
  await core.close();
  await Promise.all(hanging);
});

test('R3.6-9 after an end in good order, and in a journal without a mark, there is no such entry', async () => {
  const { core, journal, call } = await testWorld({ works, answers: answers(() => null) });
  const hanging = call('works.one').catch(() => {});
  await vi.waitFor(() => expect(core.processes.count).toBe(1));
  await markStart(journal)();
  expect(tellings(journal)).toEqual([]);
  const other = call('works.two').catch(() => {});
  await call('answers.x');
  await core.close();
  await Promise.all([hanging, other]);
  await markStart(journal)();
  expect(tellings(journal)).toEqual([]);
});
