import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLine } from '../../../src/ui/console/parse.ts';
import { straightenQuotes } from '../../../src/ui/console/quotes.ts';

const params = (line: string) => {
  const command = parseLine(line);
  if (command.kind !== 'call') throw new Error(`read as ${JSON.stringify(command)}`);
  return command.params;
};

describe('a line of the console', () => {
  it('reads a method and no params as an empty object', () => {
    expect(parseLine('  notes.list ')).toEqual({ kind: 'call', method: 'notes.list', params: {} });
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
