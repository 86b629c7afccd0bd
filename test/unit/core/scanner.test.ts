import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Message, MessageReader } from '../../../src/core/message.ts';
import { membersOf, ObjectScanner } from '../../../src/core/scanner.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function read(...pieces: (string | Uint8Array)[]): { messages: Message[]; discarded: string[] } {
  const messages: Message[] = [];
  const discarded: string[] = [];
  const reader = new MessageReader(
    (message) => messages.push(message),
    (reason) => discarded.push(reason),
  );
  for (const piece of pieces) reader.push(typeof piece === 'string' ? encoder.encode(piece) : piece);
  reader.end();
  return { messages, discarded };
}

const accepts = (bytes: Uint8Array, cut = bytes.length) => {
  const scanner = new ObjectScanner([]);
  scanner.scan(bytes, 0, cut, 0);
  scanner.scan(bytes, cut, bytes.length, cut);
  return scanner.whole;
};

function isObject(text: string): boolean {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

describe('the scanner of JSON objects', () => {
  test('R3.1-3 accepts every object that JSON has, cut anywhere', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), fc.nat(), (value, cut) => {
        const bytes = encoder.encode(JSON.stringify(value));
        return accepts(bytes, cut % (bytes.length + 1));
      }),
      { numRuns: 2000 },
    );
  });

  test('R3.1-3 agrees with JSON.parse on texts that are nearly JSON', () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '"a"',
        '\\',
        '\\u00',
        '0',
        '1',
        '-',
        '.',
        'e',
        '+',
        'true',
        'nul',
        ' ',
        '\t',
        'é',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = `{"a":${pieces.join('')}}`;
        expect(accepts(encoder.encode(text))).toBe(isObject(text));
      }),
      { numRuns: 20000 },
    );
  });

  test('R3.1-9 refuses what is no UTF-8, as a strict decoder does', () => {
    const strict = new TextDecoder('utf-8', { fatal: true });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 6 }), (inside) => {
        const bytes = Uint8Array.from([...encoder.encode('{"a":"'), ...inside, ...encoder.encode('"}')]);
        let text: string | undefined;
        try {
          text = strict.decode(bytes);
        } catch {}
        expect(accepts(bytes)).toBe(text !== undefined && isObject(text));
      }),
      { numRuns: 20000 },
    );
  });

  test('R3.3-8 gives the members as they were written, the last of equal names', () => {
    const members = membersOf(
      encoder.encode('{"id": 1.0 ,"\\u0069d":9007199254740993,"x":{"id":3},"params":{"id":[4]}}'),
      ['id', 'params'],
    );
    expect(decoder.decode(members?.get('id'))).toBe('9007199254740993');
    expect(decoder.decode(members?.get('params'))).toBe('{"id":[4]}');
  });
});

describe('lines of stdout', () => {
  test('R3.1-2 R3.1-3 a line is a message only with "jsonrpc": "2.0"', () => {
    const { messages, discarded } = read(
      'hello\n{"jsonrpc":"2.0","method":"a.b"}\n{"method":"a.b"}\n[{"jsonrpc":"2.0","method":"a.b"}]\n{"jsonrpc":2.0}\n',
    );
    expect(messages.map(({ kind }) => kind)).toEqual(['notification']);
    expect(discarded).toHaveLength(4);
  });

  test('R3.1-3 empty lines are discarded in silence', () => {
    expect(read('\n\n \t\r\n{"jsonrpc":"2.0","method":"a.b"}\r\n\n')).toMatchObject({
      messages: [{ kind: 'notification', method: 'a.b' }],
      discarded: [],
    });
  });

  test('R3.1-4 a message after an unterminated print is undamaged', () => {
    const { messages, discarded } = read('partial', '\n{"jsonrpc":"2.0","id":1,"method":"a.b"}\n');
    expect(messages).toHaveLength(1);
    expect(discarded).toHaveLength(1);
  });

  test('R3.1-5 a last line without a newline counts', () => {
    expect(read('{"jsonrpc":"2.0","id":"x","result":5}').messages).toMatchObject([{ kind: 'response' }]);
  });

  test('R3.1-7 params that are no object are told apart from missing ones', () => {
    const { messages } = read(
      '{"jsonrpc":"2.0","id":1,"method":"a.b","params":[1]}\n{"jsonrpc":"2.0","id":2,"method":"a.b"}\n',
    );
    expect(messages).toMatchObject([{ params: undefined }, { params: encoder.encode('{}') }]);
  });

  test('R3.1-7 an object that is neither request nor response is invalid', () => {
    const { messages } = read(
      '{"jsonrpc":"2.0"}\n{"jsonrpc":"2.0","id":1}\n{"jsonrpc":"2.0","id":{},"method":"a.b"}\n{"jsonrpc":"2.0","id":1,"result":1,"error":2}\n{"jsonrpc":"2.0","method":7}\n',
    );
    expect(messages.map(({ kind }) => kind)).toEqual(Array(5).fill('invalid'));
  });

  test('R3.1-8 a line of 16 MiB works in pieces, one of more than 64 MiB is discarded and the next counts', () => {
    const half = 'x'.repeat(8 * 1024 * 1024);
    const { messages } = read('{"jsonrpc":"2.0","id":1,"result":"', half, half, '"}\n');
    expect(messages).toMatchObject([{ kind: 'response', reply: { result: { length: 16 * 1024 * 1024 + 2 } } }]);
    const big = read(
      '{"jsonrpc":"2.0","id":1,"result":"',
      ...Array(9).fill(half),
      '"}\n{"jsonrpc":"2.0","method":"a.b"}\n',
    );
    expect(big.messages.map(({ kind }) => kind)).toEqual(['notification']);
    expect(big.discarded).toEqual(['a line of more than 64 MiB']);
  });

  test('R3.3-8 IDs are equal by their text as numbers and by their characters as strings', () => {
    const id = (json: string) => {
      const [message] = read(`{"jsonrpc":"2.0","id":${json},"result":1}`).messages;
      return message?.kind === 'response' ? message.id : undefined;
    };
    expect(id('"\\u0061"')?.key).toBe(id('"a"')?.key);
    expect(id('"\\u0061"')?.text).toBe('"\\u0061"');
    expect(id('1')?.key).not.toBe(id('1.0')?.key);
    expect(id('1')?.key).not.toBe(id('"1"')?.key);
    expect(id('9007199254740993')?.text).toBe('9007199254740993');
    expect(id('null')?.key).toBe('null');
    expect(id('""')?.key).toBe('""');
  });
});
