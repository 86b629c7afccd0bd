import { expect, test } from 'vitest';
import { Lifeline } from '../../src/lifeline.ts';

test('who waits for a world hears that it is lost, at once and later', async () => {
  const lifeline = new Lifeline();
  await expect(lifeline.hold(Promise.resolve(1))).resolves.toBe(1);
  await expect(lifeline.hold(Promise.reject(new Error('no')))).rejects.toThrow('no');
  const waiting = lifeline.hold(new Promise(() => {}));
  lifeline.cut(new Error('lost'));
  lifeline.cut(new Error('again'));
  await expect(waiting).rejects.toThrow('lost');
  await expect(lifeline.hold(Promise.resolve(2))).rejects.toThrow('lost');
});
