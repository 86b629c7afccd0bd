import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkImports } from '../../../src/core/interfaces/compatible.ts';
import type { Json, JsonObject } from '../../../src/core/interfaces/json.ts';
import { Scope } from '../../../src/core/interfaces/scope.ts';
import { allows } from '../../../src/core/interfaces/validate.ts';
import { changed, random, type Sample, samples, value } from './arbitrary.ts';
import { consumer, judge, NAMES, provider } from './judge.ts';

/** `INTERFACE_PAIRS=20000` (in `test:all`) makes a long run. */
const PAIRS = Number(process.env.INTERFACE_PAIRS ?? 2000);
const VALUES = 12;

/** What the check says about one schema that is sent and another that receives, as params or as result. */
function verdict(side: 'params' | 'result', sender: Sample, receiver: Sample) {
  const method = ({ schema }: Sample): JsonObject =>
    side === 'params' ? { 'x-sausage-params': schema } : { result: { name: 'result', schema } };
  const [mine, theirs] = side === 'params' ? [sender, receiver] : [receiver, sender];
  return checkImports(consumer(method(mine), mine.schemas), provider(method(theirs), theirs.schemas), NAMES);
}

test(
  `R10-4 R10-5 the verdict on ${PAIRS} random pairs is sound and complete, and ajv confirms each counterexample`,
  () => {
    const seen = { fitting: 0, failing: 0, values: 0, falseAccepts: 0, falseRejects: 0 };
    const pair = fc.record({
      sender: samples,
      // Mostly the next version of the sender, since schemas that have nothing to do with each other seldom fit.
      receiver: fc.option(samples, { freq: 3 }),
      seed: fc.integer(),
      side: fc.constantFrom('params' as const, 'result' as const),
    });
    fc.assert(
      fc.property(pair, ({ sender, receiver, seed, side }) => {
        const next = random(seed);
        const other = receiver ?? changed(sender, next);
        const problems = verdict(side, sender, other);
        const sends = judge(sender.schema, sender.schemas, 'closed');
        const takes = judge(other.schema, other.schemas, 'open');
        for (const { side: found, counterexample } of problems) {
          const real =
            found === side && counterexample !== undefined && sends(counterexample) && !takes(counterexample);
          if (!real) seen.falseRejects++;
          expect(real, JSON.stringify(problems)).toBe(true);
        }
        seen[problems.length > 0 ? 'failing' : 'fitting']++;
        if (problems.length > 0) return;
        for (let count = 0; count < VALUES; count++) {
          const sent = value(sender.schema, sender.schemas, next);
          if (!sends(sent)) continue;
          seen.values++;
          if (!takes(sent)) seen.falseAccepts++;
          expect(takes(sent), JSON.stringify(sent)).toBe(true);
        }
      }),
      { numRuns: PAIRS },
    );
    expect(seen).toMatchObject({ falseAccepts: 0, falseRejects: 0 });
    // The run means something only if both verdicts are common and values were sent.
    expect(seen.fitting).toBeGreaterThan(PAIRS / 5);
    expect(seen.failing).toBeGreaterThan(PAIRS / 5);
    expect(seen.values).toBeGreaterThan(PAIRS);
    console.info(`interfaces: ${JSON.stringify(seen)}`);
  },
  30_000 + PAIRS * 20,
);

test(
  `R10-4 the validator that proves counterexamples says what ajv says`,
  () => {
    let [allowed, refused] = [0, 0];
    fc.assert(
      fc.property(samples, samples, fc.integer(), (sample, other, seed) => {
        const next = random(seed);
        const values: Json[] = [value(sample.schema, sample.schemas, next), value(other.schema, other.schemas, next)];
        const scope = new Scope({ components: { schemas: sample.schemas } }, '');
        for (const reading of ['closed', 'open'] as const) {
          const expected = judge(sample.schema, sample.schemas, reading);
          for (const one of values) {
            const said = allows({ schema: sample.schema, scope }, one, reading);
            expect(said, `${reading} ${JSON.stringify(one)}`).toBe(expected(one));
            if (said) allowed++;
            else refused++;
          }
        }
      }),
      { numRuns: Math.ceil(PAIRS / 4) },
    );
    expect(Math.min(allowed, refused)).toBeGreaterThan(PAIRS / 10);
  },
  30_000 + PAIRS * 10,
);
