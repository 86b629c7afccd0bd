import fc from 'fast-check';
import JSON5 from 'json5';
import { describe, expect, it } from 'vitest';
import { parseLine } from '../../../src/ui/console/parse.ts';
import { straightenQuotes } from '../../../src/ui/console/quotes.ts';

const params = (line: string) => {
  const command = parseLine(line);
  if (command.kind !== 'call') throw new Error(`read as ${JSON.stringify(command)}`);
  return JSON.parse(command.params);
};

describe('a line of the console', () => {
  it('reads a method and no params as an empty object', () => {
    expect(parseLine('  notes.list ')).toEqual({ kind: 'call', method: 'notes.list', params: '{}' });
  });

  it('splits plugin and method nowhere: the core does (R3.2-1)', () => {
    expect(parseLine('notes.rpc.discover')).toMatchObject({ method: 'notes.rpc.discover' });
  });

  it('reads any JSON object as itself', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(params(`a.b ${JSON.stringify(value)}`)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('reads JSON5: bare keys, single quotes, a last comma, comments', () => {
    expect(params("a.b {text: 'it is', list: [1, 2,], /* note */}")).toEqual({ text: 'it is', list: [1, 2] });
  });

  it('keeps numbers as they were typed, and writes those of JSON5 as JSON', () => {
    const typed = (text: string) => (parseLine(`a.b {n: ${text}}`) as { params: string }).params;
    for (const text of ['12345678901234567890', '-0', '1.0', '1e400', '0.1000000000000000055', '-12E+3']) {
      expect(typed(text)).toBe(`{"n":${text}}`);
    }
    const json5 = ['+12345678901234567890', '.5', '-.5', '5.', '5.e3', '0xFFFFFFFFFFFFFFFF', '-0x10'];
    const json = ['12345678901234567890', '0.5', '-0.5', '5', '5e3', '18446744073709551615', '-16'];
    expect(json5.map(typed)).toEqual(json.map((text) => `{"n":${text}}`));
    expect(typed('"12345678901234567890 // .5", NaN: 1, true: .5, /* , */ \u0061b: [+1,],')).toBe(
      '{"n":"12345678901234567890 // .5","NaN":1,"true":0.5,"ab":[1]}',
    );
    const odd = String.raw`'\t\'“"\u2028', __proto__: {über: 1}`;
    expect(typed(odd)).toBe(JSON.stringify({ n: `\t'“"\u2028`, ['__proto__']: { über: 1 } }));
    for (const text of ['NaN', '-Infinity', '[{a: +NaN}]']) {
      expect(parseLine(`a.b {n: ${text}}`)).toMatchObject({ kind: 'params', problem: 'not-json' });
    }
  });

  it('reads any JSON5 as the JSON of the same value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const lenient = JSON5.stringify(value, { space: '\t', quote: "'" });
        expect(params(`a.b ${lenient}`)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('reads params however deep they are nested', () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    expect(parseLine(`a.b ${deep}`)).toEqual({ kind: 'call', method: 'a.b', params: deep });
  });

  it('needs no braces around named params', () => {
    expect(params('notes.add text: "milk", done: true')).toEqual({ text: 'milk', done: true });
    expect(params('notes.add “text”: “milk”')).toEqual({ text: 'milk' });
  });

  it('needs no space before the brace', () => {
    expect(params('notes.add{"text":"milk"}')).toEqual({ text: 'milk' });
  });

  it('reads the curly quotes of phones as quotes, and keeps those inside of a text', () => {
    expect(params('notes.add {“text”: “it’s ‘new’ milk”}')).toEqual({ text: 'it’s ‘new’ milk' });
    expect(params('notes.add {„text“: „Milch“}')).toEqual({ text: 'Milch' });
    expect(params('notes.add {‘text’: ‘it’s’}')).toEqual({ text: 'it’s' });
    expect(params('notes.add {"text”: “milk"}')).toEqual({ text: 'milk' });
    expect(params('notes.add {“text”: “a "straight" one”}')).toEqual({ text: 'a "straight" one' });
  });

  it('leaves text alone that is good as it stands', () => {
    const text = '{"text": "she said “hi”, then left"}';
    expect(params(`notes.add ${text}`)).toEqual(JSON.parse(text));
  });

  it('names the place from which on params cannot be read', () => {
    expect(parseLine('notes.add {"text": milk}')).toMatchObject({
      kind: 'params',
      problem: 'syntax',
      rest: 'milk}'.slice(0, -1),
    });
    expect(parseLine('notes.add {"text": "milk"')).toMatchObject({ kind: 'params', problem: 'syntax', rest: '' });
  });

  it('takes nothing but an object of JSON values as params (R3.1-7)', () => {
    expect(parseLine('a.b [1]')).toMatchObject({ kind: 'params', problem: 'not-object' });
    expect(parseLine('a.b "x"')).toMatchObject({ kind: 'params', problem: 'not-object' });
    expect(parseLine('a.b null')).toMatchObject({ kind: 'params', problem: 'not-object' });
    expect(parseLine('a.b {deep: [{n: NaN}]}')).toMatchObject({ kind: 'params', problem: 'not-json' });
  });

  it('knows its own commands and their arguments', () => {
    expect(parseLine('ls /proc')).toEqual({ kind: 'builtin', name: 'ls', argument: '/proc' });
    expect(parseLine('cat “/my file”')).toEqual({ kind: 'builtin', name: 'cat', argument: '/my file' });
    expect(parseLine('clear')).toEqual({ kind: 'builtin', name: 'clear', argument: '' });
  });

  it('keeps a word without a dot for an answer that says what to type', () => {
    expect(parseLine('notes')).toEqual({ kind: 'word', word: 'notes' });
    expect(parseLine('.list')).toEqual({ kind: 'word', word: '.list' });
    expect(parseLine('notes.')).toEqual({ kind: 'word', word: 'notes.' });
    expect(parseLine('   ')).toEqual({ kind: 'empty' });
  });
});

describe('straightenQuotes', () => {
  it('changes nothing where there is no curly quote', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/[“”„‟«»＂‘’‚‛＇]/.test(text));
        expect(straightenQuotes(text)).toBe(text);
      }),
    );
  });

  it('leaves a string that has no end as it is', () => {
    expect(straightenQuotes('{“text')).toBe('{“text');
  });
});
