import { test } from 'vitest';
import { clientRs } from '../../../src/core/interfaces/client-rs.ts';
import { checkImports } from '../../../src/core/interfaces/compatible.ts';
import { parseDocument } from '../../../src/core/interfaces/document.ts';
import { metaSchemaRemarks } from '../../../src/core/interfaces/meta-schema.ts';

test('bench', () => {
  const to = (n: string) => ({ $ref: `#/components/schemas/${n}` });
  const object = (properties: any, required: string[] = []) => ({ type: 'object', properties, required });
  const make = () =>
    Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [
        `D${at}`,
        object(
          {
            id: { type: 'integer', minimum: 0 },
            name: { type: 'string' },
            next: to(`D${(at + 1) % 500}`),
            other: { type: 'array', items: to(`D${(at * 7) % 500}`) },
          },
          ['id'],
        ),
      ]),
    );
  const methods = Array.from({ length: 500 }, (_, at) => ({
    name: `m${at}`,
    params: [{ name: 'p', schema: to(`D${at}`) }],
    result: { name: 'r', schema: to(`D${at}`) },
  }));
  for (let i = 0; i < 4; i++) {
    const pj = { openrpc: '1.2.6', info: { title: 'a', version: '1' }, methods, components: { schemas: make() } };
    const cj = {
      openrpc: '1.2.6',
      info: { title: 'a', version: '1' },
      methods: [],
      'x-sausage-imports': { p: { methods, components: { schemas: make() } } },
    };
    let t = performance.now();
    const p = parseDocument(pj).document;
    const t1 = performance.now() - t;
    t = performance.now();
    const c = parseDocument(cj).document;
    const t2 = performance.now() - t;
    t = performance.now();
    checkImports(c, p, { consumer: 'c', provider: 'p' });
    const t3 = performance.now() - t;
    t = performance.now();
    metaSchemaRemarks(pj as any);
    const t4 = performance.now() - t;
    t = performance.now();
    clientRs(p, 'p');
    const t5 = performance.now() - t;
    console.log({ t1, t2, t3, t4, t5 });
  }
});
