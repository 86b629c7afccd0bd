import { describe, expect, it } from 'vitest';
import { composeLine, fieldsOf } from '../../../src/ui/console/call-form.ts';
import { readInterface } from '../../../src/ui/console/interface.ts';
import { parseLine } from '../../../src/ui/console/parse.ts';

const param = (name: string, schema: object, required = false) => ({ name, required, schema });
const [method] = readInterface({
  methods: [
    {
      name: 'add',
      params: [
        param('text', { type: 'string', description: 'what to keep' }, true),
        param('count', { type: ['integer', 'null'] }),
        param('price', { type: 'number' }),
        param('loud', { type: 'boolean' }),
        param('colour', { $ref: '#/components/schemas/Colour' }),
        param('tags', { type: 'array' }),
        param('any', {}),
      ],
    },
  ],
  components: { schemas: { Colour: { type: 'string', enum: ['red', 'blue'] } } },
}).methods;
const fields = fieldsOf(method!);
const compose = (filled: Record<string, string>) => composeLine('p.add', fields, new Map(Object.entries(filled)));
const paramsOf = (filled: Record<string, string>): string => {
  const made = compose(filled);
  if (!('line' in made)) throw new Error([...made.mistakes].join());
  const command = parseLine(made.line);
  return command.kind === 'call' ? command.params : command.kind;
};

describe('the form of a method', () => {
  it('has a field for each param, as its schema says', () => {
    expect(fields.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'text text',
      'count integer',
      'price number',
      'loud boolean',
      'colour choice',
      'tags json',
      'any json',
    ]);
    expect(fields[4]!.choices).toEqual(['"red"', '"blue"']);
  });

  it('becomes the line that one would type, without what was left out, and with all digits', () => {
    expect(compose({ text: 'milk', count: '', loud: '' })).toEqual({ line: 'p.add {"text": "milk"}' });
    const all = {
      text: '“a” \\ {',
      count: '12345678901234567890',
      price: '-1.50',
      loud: 'true',
      colour: '"red"',
      tags: "['a', “b”,]",
    };
    expect(paramsOf(all)).toBe(
      '{"text":"“a” \\\\ {","count":12345678901234567890,"price":-1.50,"loud":true,"colour":"red","tags":["a","b"]}',
    );
    expect(paramsOf({ text: '' })).toBe('{"text":""}');
    expect(composeLine('p.list', [], new Map())).toEqual({ line: 'p.list' });
  });

  it('says which field cannot be taken, and lets none write beside its own', () => {
    const mistakes = (filled: Record<string, string>) => {
      const made = compose(filled);
      return 'mistakes' in made ? Object.fromEntries(made.mistakes) : made.line;
    };
    expect(mistakes({ text: 'x', count: '1.5', price: 'much', tags: '[', any: '1}, {"text": 2' })).toEqual({
      count: 'integer',
      price: 'number',
      tags: 'json',
      any: 'json',
    });
    expect(mistakes({ text: 'x', any: '1, "text": "y"' })).toEqual({ any: 'json' });
    const needed = [{ ...fields[1]!, required: true }];
    expect(composeLine('p.add', needed, new Map())).toEqual({ mistakes: new Map([['count', 'missing']]) });
  });
});
