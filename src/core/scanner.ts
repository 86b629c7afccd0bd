/**
 * Reads JSON objects from bytes that arrive in pieces and keeps, of each object, where the members that matter stand.
 * Values are never built: `params` of 16 MiB pass through the core as bytes, and an ID keeps the text that its sender
 * wrote (R3.3-4, R3.3-8). Each byte is looked at once, as it arrives, so that a long line holds no turn of the core.
 */

const VALUE = 0;
const VALUE_OR_END = 1;
const KEY_OR_END = 2;
const KEY = 3;
const COLON = 4;
const AFTER = 5;
const STRING = 6;
const ESCAPE = 7;
const HEX = 8;
const UTF8 = 9;
const LITERAL = 10;
const MINUS = 11;
const ZERO = 12;
const INTEGER = 13;
const POINT = 14;
const FRACTION = 15;
const EXP = 16;
const EXP_SIGN = 17;
const EXPONENT = 18;
const DONE = 19;
const BAD = 20;

const OBJECT = 1;
const ARRAY = 2;

/** 1 for the bytes that a string may hold as they are. */
const PLAIN = new Uint8Array(256);
for (let byte = 0x20; byte < 0x80; byte++) if (byte !== 0x22 && byte !== 0x5c) PLAIN[byte] = 1;

/** A name longer than this is none of those that are looked for. */
const LONGEST_NAME = 64;

export interface Member {
  start: number;
  end: number;
}

const decoder = new TextDecoder();

/** One object, fed with `scan` from its first byte on. */
export class ObjectScanner {
  /** The last member of each name that is looked for; positions count from the first byte after `reset`. */
  readonly members = new Map<string, Member>();
  readonly #names: ReadonlySet<string>;
  #state = VALUE;
  #stack = new Uint8Array(64);
  #depth = 0;
  #isKey = false;
  #name = new Uint8Array(LONGEST_NAME);
  #nameLength = 0;
  #wanted: string | undefined;
  #valueStart = 0;
  #count = 0;
  #literal = '';
  #utf8Low = 0x80;
  #utf8High = 0xbf;
  #utf8Left = 0;
  #blank = true;

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
  }

  reset(): void {
    this.members.clear();
    this.#state = VALUE;
    this.#depth = 0;
    this.#isKey = false;
    this.#wanted = undefined;
    this.#blank = true;
  }

  /** Nothing but white space so far. */
  get blank(): boolean {
    return this.#blank;
  }

  /** The bytes so far cannot become an object, whatever follows. */
  get bad(): boolean {
    return this.#state === BAD;
  }

  /** The bytes so far are one whole object. */
  get whole(): boolean {
    return this.#state === DONE;
  }

  /** Looks at `bytes[from..to)`, the first of which is at position `offset` since `reset`. */
  scan(bytes: Uint8Array, from: number, to: number, offset: number): void {
    const shift = offset - from;
    let state = this.#state;
    for (let i = from; i < to; i++) {
      let byte = bytes[i]!;
      if (state === STRING) {
        if (PLAIN[byte] === 1) {
          const start = i;
          do i++;
          while (i < to && PLAIN[bytes[i]!] === 1);
          if (this.#isKey) this.#keep(bytes, start, i);
          if (i === to) break;
          byte = bytes[i]!;
        }
        if (byte === 0x22) {
          if (this.#isKey) {
            this.#endKey();
            state = COLON;
          } else state = this.#endValue(i + 1 + shift);
        } else if (this.#isKey) {
          this.#keep(bytes, i, i + 1);
          state = byte === 0x5c ? ESCAPE : this.#lead(byte);
        } else state = byte === 0x5c ? ESCAPE : this.#lead(byte);
        continue;
      }
      if (this.#isKey && (state === ESCAPE || state === HEX || state === UTF8)) this.#keep(bytes, i, i + 1);
      switch (state) {
        case ESCAPE:
          if (byte === 0x75) {
            this.#count = 4;
            state = HEX;
          } else state = isSimpleEscape(byte) ? STRING : BAD;
          continue;
        case HEX:
          if (!isHex(byte)) state = BAD;
          else if (--this.#count === 0) state = STRING;
          continue;
        case UTF8:
          if (byte < this.#utf8Low || byte > this.#utf8High) state = BAD;
          else {
            this.#utf8Low = 0x80;
            this.#utf8High = 0xbf;
            if (--this.#utf8Left === 0) state = STRING;
          }
          continue;
        case LITERAL:
          if (byte !== this.#literal.charCodeAt(this.#count)) state = BAD;
          else if (++this.#count === this.#literal.length) state = this.#endValue(i + 1 + shift);
          continue;
        case BAD:
          i = to;
          continue;
      }
      if (state >= MINUS && state <= EXPONENT) {
        const next = number(state, byte);
        if (next !== undefined) {
          state = next;
          continue;
        }
        // the number ended before this byte
        if (state !== ZERO && state !== INTEGER && state !== FRACTION && state !== EXPONENT) {
          state = BAD;
          continue;
        }
        state = this.#endValue(i + shift);
      }
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
      this.#blank = false;
      switch (state) {
        case VALUE_OR_END:
          if (byte === 0x5d) {
            state = this.#close(ARRAY, i + 1 + shift);
            continue;
          }
          state = this.#value(byte, i + shift);
          continue;
        case VALUE:
          state = this.#value(byte, i + shift);
          continue;
        case KEY_OR_END:
          if (byte === 0x7d) {
            state = this.#close(OBJECT, i + 1 + shift);
            continue;
          }
          state = this.#key(byte);
          continue;
        case KEY:
          state = this.#key(byte);
          continue;
        case COLON:
          state = byte === 0x3a ? VALUE : BAD;
          continue;
        case AFTER: {
          const inside = this.#stack[this.#depth - 1];
          if (byte === 0x2c) state = inside === OBJECT ? KEY : VALUE;
          else if (byte === 0x7d) state = this.#close(OBJECT, i + 1 + shift);
          else if (byte === 0x5d) state = this.#close(ARRAY, i + 1 + shift);
          else state = BAD;
          continue;
        }
        default:
          state = BAD; // something after the object
      }
    }
    this.#state = state;
  }

  #value(byte: number, at: number): number {
    if (this.#depth === 0 && byte !== 0x7b) return BAD;
    if (this.#depth === 1) this.#valueStart = at;
    if (byte === 0x22) return STRING;
    if (byte === 0x7b) return this.#open(OBJECT);
    if (byte === 0x5b) return this.#open(ARRAY);
    if (byte === 0x2d) return MINUS;
    if (byte === 0x30) return ZERO;
    if (byte > 0x30 && byte <= 0x39) return INTEGER;
    this.#count = 1;
    if (byte === 0x74) this.#literal = 'true';
    else if (byte === 0x66) this.#literal = 'false';
    else if (byte === 0x6e) this.#literal = 'null';
    else return BAD;
    return LITERAL;
  }

  #open(container: number): number {
    if (this.#depth === this.#stack.length) {
      const larger = new Uint8Array(this.#stack.length * 2);
      larger.set(this.#stack);
      this.#stack = larger;
    }
    this.#stack[this.#depth++] = container;
    return container === OBJECT ? KEY_OR_END : VALUE_OR_END;
  }

  #close(container: number, end: number): number {
    if (this.#stack[this.#depth - 1] !== container) return BAD;
    this.#depth--;
    return this.#endValue(end);
  }

  #endValue(end: number): number {
    if (this.#depth === 0) return DONE;
    if (this.#depth === 1 && this.#wanted !== undefined) {
      this.members.set(this.#wanted, { start: this.#valueStart, end });
      this.#wanted = undefined;
    }
    return AFTER;
  }

  #key(byte: number): number {
    if (byte !== 0x22) return BAD;
    this.#isKey = true;
    this.#nameLength = 0;
    return STRING;
  }

  #keep(bytes: Uint8Array, from: number, to: number): void {
    if (this.#depth !== 1) return;
    if (this.#nameLength + (to - from) > LONGEST_NAME) {
      this.#nameLength = LONGEST_NAME + 1;
      return;
    }
    for (let i = from; i < to; i++) this.#name[this.#nameLength++] = bytes[i]!;
  }

  #endKey(): void {
    this.#isKey = false;
    if (this.#depth !== 1) return;
    this.#wanted = undefined;
    if (this.#nameLength > LONGEST_NAME) return;
    let name = decoder.decode(this.#name.subarray(0, this.#nameLength));
    if (name.includes('\\')) name = JSON.parse(`"${name}"`) as string;
    if (this.#names.has(name)) this.#wanted = name;
  }

  /** The first byte of a character beyond ASCII; refuses overlong forms, surrogates and what is beyond U+10FFFF (R3.1-9). */
  #lead(byte: number): number {
    this.#utf8Low = 0x80;
    this.#utf8High = 0xbf;
    if (byte >= 0xc2 && byte <= 0xdf) this.#utf8Left = 1;
    else if (byte >= 0xe0 && byte <= 0xef) {
      this.#utf8Left = 2;
      if (byte === 0xe0) this.#utf8Low = 0xa0;
      if (byte === 0xed) this.#utf8High = 0x9f;
    } else if (byte >= 0xf0 && byte <= 0xf4) {
      this.#utf8Left = 3;
      if (byte === 0xf0) this.#utf8Low = 0x90;
      if (byte === 0xf4) this.#utf8High = 0x8f;
    } else return BAD;
    return UTF8;
  }
}

/** The state after one more byte of a number; undefined when the byte does not belong to it. */
function number(state: number, byte: number): number | undefined {
  const digit = byte >= 0x30 && byte <= 0x39;
  switch (state) {
    case MINUS:
      return digit ? (byte === 0x30 ? ZERO : INTEGER) : undefined;
    case ZERO:
    case INTEGER:
      if (digit) return state === INTEGER ? INTEGER : undefined;
      if (byte === 0x2e) return POINT;
      return byte === 0x65 || byte === 0x45 ? EXP : undefined;
    case POINT:
    case FRACTION:
      if (digit) return FRACTION;
      return state === FRACTION && (byte === 0x65 || byte === 0x45) ? EXP : undefined;
    case EXP:
      if (byte === 0x2b || byte === 0x2d) return EXP_SIGN;
      return digit ? EXPONENT : undefined;
    default:
      return digit ? EXPONENT : undefined;
  }
}

function isSimpleEscape(byte: number): boolean {
  // " \ / b f n r t
  return (
    byte === 0x22 ||
    byte === 0x5c ||
    byte === 0x2f ||
    byte === 0x62 ||
    byte === 0x66 ||
    byte === 0x6e ||
    byte === 0x72 ||
    byte === 0x74
  );
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

/** The members of one whole object, as slices of its text; undefined when the text is no object. */
export function membersOf(text: Uint8Array, names: Iterable<string>): Map<string, Uint8Array> | undefined {
  const scanner = new ObjectScanner(names);
  scanner.scan(text, 0, text.length, 0);
  if (!scanner.whole) return undefined;
  const members = new Map<string, Uint8Array>();
  for (const [name, { start, end }] of scanner.members) members.set(name, text.subarray(start, end));
  return members;
}
