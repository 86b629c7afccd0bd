import { describe, expect, it } from 'vitest';
import { complete, type Knowledge, keyAtEnd } from '../../../src/ui/console/completion.ts';
import { readInterface } from '../../../src/ui/console/interface.ts';
import { parseLine } from '../../../src/ui/console/parse.ts';
import discover from './notes-discover.json' with { type: 'json' };

const knowledge: Knowledge = {
  plugins: async () => ['notes', 'net-notes', 'core'],
  interfaceOf: async (plugin) => (plugin === 'notes' ? readInterface(discover) : undefined),
  list: async (path) =>
    path === '/'
      ? [
          { name: 'plugins', kind: 'directory' },
          { name: 'README.md', kind: 'file' },
        ]
      : path === '/plugins/'
        ? [{ name: 'notes', kind: 'directory' }]
        : [],
};

/** The labels for a line whose caret is at `|`. */
async function labels(line: string): Promise<string[]> {
  const { suggestions } = await complete(line.replace('|', ''), line.indexOf('|'), knowledge);
  return suggestions.map(({ label }) => label);
}

/** The line, with its caret, after the first suggestion was taken. */
async function take(line: string): Promise<string> {
  const caret = line.indexOf('|');
  const text = line.replace('|', '');
  const { from, suggestions } = await complete(text, caret, knowledge);
  const { insert, caret: at = insert.length } = suggestions[0]!;
  const taken = text.slice(0, from) + insert + text.slice(caret);
  return `${taken.slice(0, from + at)}|${taken.slice(from + at)}`;
}

describe('completion', () => {
  it('offers plugins and commands, those that begin with the word first', async () => {
    expect(await labels('no|')).toEqual(['notes', 'net-notes']);
    expect(await labels('l|')).toEqual(['ls', 'help', 'clear']);
    expect(await take('not|')).toBe('notes.|');
  });

  it('offers the methods of the document of a plugin with their descriptions', async () => {
    expect(await labels('notes.|')).toEqual(['add', 'list', 'remove']);
    const { suggestions } = await complete('notes.li', 8, knowledge);
    expect(suggestions[0]!.detail).toBe('Answers all notes, the oldest first.');
    expect(await labels('unknown.|')).toEqual([]);
  });

  it('adds a space only after a method that has params', async () => {
    expect(await take('notes.a|')).toBe('notes.add |');
    expect(await take('notes.li|')).toBe('notes.list|');
  });

  it('begins the params with those that are required, the caret in the first', async () => {
    expect(await take('notes.add |')).toBe('notes.add {"text": "|"}');
    expect(parseLine('notes.add {"text": ""}')).toMatchObject({ kind: 'call', params: '{"text":""}' });
  });

  it('offers the params that are not there yet, in braces, and closes them', async () => {
    expect(await take('notes.add {te|')).toBe('notes.add {"text": "|"}');
    expect(await take('notes.add {"te|')).toBe('notes.add {"text": "|"}');
    expect(await take('notes.add {te|}')).toBe('notes.add {"text": "|"}');
    expect(await labels('notes.add {"text": "x", |')).toEqual([]);
  });

  it('offers nothing inside of a value', async () => {
    expect(await labels('notes.add {"text": "te|')).toEqual([]);
    expect(await labels('notes.add {"text": [te|')).toEqual([]);
  });

  it('offers the entries of a folder for ls and cat', async () => {
    expect(await labels('ls |')).toEqual(['plugins/', 'README.md']);
    expect(await take('ls plu|')).toBe('ls plugins/|');
    expect(await take('cat /plugins/|')).toBe('cat /plugins/notes/|');
  });

  it('offers plugins for help', async () => {
    expect(await take('help not|')).toBe('help notes|');
  });

  it('does not offer what is written already', async () => {
    expect(await labels('notes.list|')).toEqual([]);
  });
});

describe('keyAtEnd', () => {
  it('finds the key that is being written, and those before it', () => {
    expect(keyAtEnd('{a: 1, "b c": {x: [1, 2]}, d')).toEqual({ from: 27, prefix: 'd', used: ['a', 'bc'] });
    expect(keyAtEnd('{“a”: “x, y: z”, ')).toEqual({ from: 17, prefix: '', used: ['a'] });
  });

  it('finds none in a value, a nested object, or after the end', () => {
    for (const text of ['{a: b', '{a: {b', '{a: 1}', '[', '{a: "unfinished, b'])
      expect(keyAtEnd(text), text).toBeUndefined();
  });
});
