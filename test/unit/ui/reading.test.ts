import { describe, expect, it } from 'vitest';
import { readMarkdown } from '../../../src/ui/reading/markdown.ts';
import { snippetOf, targetOf } from '../../../src/ui/reading/snippet.ts';

describe('Markdown as values', () => {
  it('has headings, paragraphs, lists in lists, tables and code', () => {
    expect(
      readMarkdown('# A *b*\n\none\ntwo `x`\n\n1. a\n   - b\n2. c\n\n> q\n> r\n\n| h |\n|---|\n| `v` |\n\n***'),
    ).toEqual([
      { kind: 'heading', level: 1, inlines: ['A ', { kind: 'emphasis', inlines: ['b'] }] },
      { kind: 'paragraph', inlines: ['one two ', { kind: 'code', text: 'x' }] },
      {
        kind: 'list',
        ordered: true,
        start: 1,
        items: [
          [
            { kind: 'paragraph', inlines: ['a'] },
            { kind: 'list', ordered: false, start: 1, items: [[{ kind: 'paragraph', inlines: ['b'] }]] },
          ],
          [{ kind: 'paragraph', inlines: ['c'] }],
        ],
      },
      { kind: 'quote', blocks: [{ kind: 'paragraph', inlines: ['q ', ' r'] }] },
      { kind: 'table', head: [['h']], rows: [[[{ kind: 'code', text: 'v' }]]] },
      { kind: 'rule' },
    ]);
  });

  it('keeps the lines of a code block in a list, without the blanks of the list', () => {
    const [list] = readMarkdown('- a\n\n  ```ts file=/x.ts\n  let a;\n\n    let b;\n  ```\n');
    const item = list?.kind === 'list' ? list.items[0] : undefined;
    expect(item?.[1]).toEqual({ kind: 'code', info: 'ts file=/x.ts', text: 'let a;\n\n  let b;' });
  });

  it('takes HTML for text, and knows links, images by their words, and escapes', () => {
    expect(readMarkdown('<b>x</b> [a](b.md "t") ![p](q.png) <https://e.org> \\* &amp;')).toEqual([
      {
        kind: 'paragraph',
        inlines: [
          ...['<b>', 'x', '</b>', ' '],
          { kind: 'link', href: 'b.md', inlines: ['a'] },
          ' ',
          { kind: 'link', href: 'q.png', inlines: ['p'] },
          ' ',
          { kind: 'link', href: 'https://e.org', inlines: ['https://e.org'] },
          ...[' ', '*', ' ', '&'],
        ],
      },
    ]);
  });
});

describe('what a code block can do', () => {
  it('runs commands, which go on while braces are open', () => {
    const text = '# first\nnotes.add {\n  "text": "}"\n}\n\nnotes.list\n';
    expect(snippetOf('console', text)).toEqual({
      kind: 'lines',
      lines: ['notes.add {\n  "text": "}"\n}', 'notes.list'],
    });
    expect(snippetOf('sausage', '\n')).toBeUndefined();
    expect(snippetOf('ts', 'a.b')).toBeUndefined();
  });

  it('goes into a file of the world, and into none outside of it', () => {
    expect(snippetOf('ts file=/plugins/a/source/main.ts', 'x')).toEqual({
      kind: 'file',
      path: '/plugins/a/source/main.ts',
    });
    for (const path of ['a.ts', '/../a', '/a/../../b', '']) expect(snippetOf(`ts file=${path}`, 'x')).toBeUndefined();
  });
});

describe('where a link of a page leads', () => {
  it('is found from the folder of the page, and never out of the world', () => {
    expect(targetOf('2-look.md', '/tour/1-call.md')).toEqual({ kind: 'file', path: '/tour/2-look.md' });
    expect(targetOf('../README.md#top', '/tour/1-call.md')).toEqual({ kind: 'file', path: '/README.md' });
    expect(targetOf('/a%20b.md', '/x')).toEqual({ kind: 'file', path: '/a b.md' });
    expect(targetOf('../../../etc', '/a/b')).toEqual({ kind: 'file', path: '/etc' });
  });

  it('may be another site, and runs no script', () => {
    expect(targetOf('https://e.org/a', '/x')).toEqual({ kind: 'site', url: 'https://e.org/a' });
    for (const href of ['javascript:alert(1)', 'data:text/html,x', '#a', '', 'JavaScript:x', 'mailto:a@b'])
      expect(targetOf(href, '/x'), href).toBeUndefined();
  });
});
