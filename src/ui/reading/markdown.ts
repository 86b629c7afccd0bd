/** Markdown as a tree of plain values: what is drawn from it can hold nothing but what is named here. */

import { Autolink, parser, Table } from '@lezer/markdown';

export type Inline =
  | string
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'emphasis'; inlines: Inline[] }
  /** `href` as it is written. */
  | { kind: 'link'; href: string; inlines: Inline[] }
  | { kind: 'break' };

export type Block =
  | { kind: 'heading'; level: number; inlines: Inline[] }
  | { kind: 'paragraph'; inlines: Inline[] }
  | { kind: 'list'; ordered: boolean; start: number; items: Block[][] }
  | { kind: 'quote'; blocks: Block[] }
  /** `info` is what stands behind the fence, empty without one. */
  | { kind: 'code'; info: string; text: string }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'rule' };

type Node = ReturnType<ReturnType<typeof parser.parse>['topNode']['cursor']>['node'];

const markdown = parser.configure([Table, Autolink]);

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0' };

/** The blocks of a text. HTML in it is text like any other. */
export function readMarkdown(text: string): Block[] {
  return new Reader(text).blocks(markdown.parse(text).topNode);
}

class Reader {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  blocks(parent: Node): Block[] {
    return childrenOf(parent).flatMap((node) => this.#block(node));
  }

  #block(node: Node): Block[] {
    const { name } = node;
    const heading = /^(?:ATX|Setext)Heading(\d)$/.exec(name);
    if (heading) return [{ kind: 'heading', level: Number(heading[1]), inlines: this.#inlines(node) }];
    switch (name) {
      case 'Paragraph':
      case 'HTMLBlock':
        return [{ kind: 'paragraph', inlines: this.#inlines(node) }];
      case 'BulletList':
      case 'OrderedList': {
        const items = childrenOf(node).filter((child) => child.name === 'ListItem');
        const mark = items[0]?.getChild('ListMark');
        const start = mark ? Number.parseInt(this.#slice(mark), 10) : 1;
        const ordered = name === 'OrderedList';
        return [{ kind: 'list', ordered, start: ordered ? start : 1, items: items.map((item) => this.blocks(item)) }];
      }
      case 'Blockquote':
        return [{ kind: 'quote', blocks: this.blocks(node) }];
      case 'FencedCode':
      case 'CodeBlock': {
        const info = node.getChild('CodeInfo');
        const lines = node.getChildren('CodeText').map((part) => this.#slice(part));
        return [{ kind: 'code', info: info ? this.#slice(info) : '', text: lines.join('') }];
      }
      case 'Table': {
        const cells = (row: Node) => row.getChildren('TableCell').map((cell) => this.#inlines(cell));
        const header = node.getChild('TableHeader');
        return [{ kind: 'table', head: header ? cells(header) : [], rows: node.getChildren('TableRow').map(cells) }];
      }
      case 'HorizontalRule':
        return [{ kind: 'rule' }];
      default:
        // marks, comments, targets of links by name
        return [];
    }
  }

  #inlines(parent: Node, from = parent.from, to = parent.to): Inline[] {
    const inlines: Inline[] = [];
    let at = from;
    const words = (end: number) => {
      const text = this.#text.slice(at, end).replace(/\s*\n\s*/g, ' ');
      if (text !== '') inlines.push(text);
    };
    for (const node of childrenOf(parent)) {
      if (node.from < at || node.to > to) continue;
      words(node.from);
      at = node.to;
      const inline = this.#inline(node);
      if (inline !== undefined) inlines.push(inline);
    }
    words(to);
    return trimmed(inlines);
  }

  /** Undefined for what is not shown. */
  #inline(node: Node): Inline | undefined {
    const { name } = node;
    switch (name) {
      case 'InlineCode':
        return { kind: 'code', text: this.#between(node, 'CodeMark').replace(/\s*\n\s*/g, ' ') };
      case 'Emphasis':
      case 'StrongEmphasis':
        return { kind: name === 'Emphasis' ? 'emphasis' : 'strong', inlines: this.#inlines(node) };
      case 'Link':
      case 'Image': {
        const [open, close] = node.getChildren('LinkMark');
        const inlines = open && close ? this.#inlines(node, open.to, close.from) : [];
        const url = node.getChild('URL');
        if (!url) return inlines.length === 1 ? inlines[0] : { kind: 'emphasis', inlines };
        return { kind: 'link', href: this.#slice(url).replace(/^<|>$/g, ''), inlines };
      }
      case 'URL':
      case 'Autolink': {
        const href = this.#slice(node).replace(/^<|>$/g, '');
        return { kind: 'link', href, inlines: [href] };
      }
      case 'HardBreak':
        return { kind: 'break' };
      case 'Escape':
        return this.#slice(node).slice(1);
      case 'Entity': {
        const text = this.#slice(node);
        return ENTITIES[text.slice(1, -1)] ?? text;
      }
      case 'HTMLTag':
        return this.#slice(node);
      default:
        return undefined;
    }
  }

  /** The text of a node without the marks at its ends. */
  #between(node: Node, mark: string): string {
    const marks = node.getChildren(mark);
    return this.#text.slice(marks[0]?.to ?? node.from, marks.at(-1)?.from ?? node.to);
  }

  #slice({ from, to }: Node): string {
    return this.#text.slice(from, to);
  }
}

function childrenOf(parent: Node): Node[] {
  const children: Node[] = [];
  for (let child = parent.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

/** Without the blanks that stand between a mark and its text. */
function trimmed(inlines: Inline[]): Inline[] {
  const first = inlines[0];
  if (typeof first === 'string') inlines[0] = first.trimStart();
  const last = inlines.at(-1);
  if (typeof last === 'string') inlines[inlines.length - 1] = last.trimEnd();
  return inlines.filter((inline) => inline !== '');
}
