/** Tells what a file is before jco, which is large and speaks of indexes, has to look at it (R3.1-1). */

import {
  COMPONENT_SECTION,
  isCutPreamble,
  MODULE_SECTION,
  preamble,
  Reader,
  type Section,
  sections,
} from './binary.ts';
import { ComponentError } from './errors.ts';

export interface ComponentShape {
  /** Names as they stand in the file, version included: `wasi:io/streams@0.2.3`. */
  imports: string[];
  exports: string[];
}

/** The version of the component binary format that tools write since WASI 0.2. */
const COMPONENT_FORMAT = 0x0d;

/** Reads the names that a component imports and exports; throws `ComponentError` for anything else. */
export function inspect(bytes: Uint8Array): ComponentShape {
  if (bytes.length === 0)
    throw new ComponentError('empty', 'The file is empty. Build the plugin again, or copy it again.');
  if (isCutPreamble(bytes)) throw truncated();
  const head = preamble(bytes);
  if (!head) throw foreign(bytes);
  try {
    if (head.layer === 'module') throw moduleError(bytes);
    if (head.layer === 'other' || head.version !== COMPONENT_FORMAT) {
      const message = `The file is a WebAssembly binary of a format (version ${head.version}) that this host does not know.`;
      throw new ComponentError('format', `${message} Build the plugin with tools for WASI 0.2.`);
    }
    const all = whole(bytes);
    const names = (id: number, read: (reader: Reader) => string) =>
      all.filter((section) => section.id === id).flatMap((section) => list(bytes, section, read));
    return {
      imports: names(COMPONENT_SECTION.import, readImport),
      exports: names(COMPONENT_SECTION.export, readExport),
    };
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    const what = error instanceof RangeError ? 'a part of it ends too early' : 'a name in it is no text';
    throw new ComponentError('damaged', `The file is damaged: ${what}. Copy it again.`, { cause: error });
  }
}

/** All sections. That the last one is longer than the file can come from a cut, and from one wrong byte in a length. */
function whole(bytes: Uint8Array): Section[] {
  try {
    return Array.from(sections(bytes));
  } catch (error) {
    throw error instanceof RangeError ? truncated(error) : error;
  }
}

function truncated(cause?: Error): ComponentError {
  const what = 'it begins as a WebAssembly component, but does not end where its parts do';
  return new ComponentError('truncated', `The file is cut off or damaged: ${what}. Copy it again.`, { cause });
}

function foreign(bytes: Uint8Array): ComponentError {
  const start = bytes.subarray(0, 4096);
  // A character may be cut at the end of the part that is looked at, which `stream` forgives.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    const text = decoder.decode(start, { stream: true });
    if (!text.includes('\0')) {
      const what = /^\s*(;;|\(;|\(component|\(module)/.test(text) ? 'WebAssembly in its text form' : 'a text file';
      return new ComponentError(
        'text',
        `The file is ${what}, not a WebAssembly component. Build the plugin and copy the .wasm file.`,
      );
    }
  } catch {
    // Not text: then it is some other binary.
  }
  return new ComponentError('not-wasm', 'The file is not WebAssembly. Build the plugin and copy the .wasm file.');
}

function moduleError(bytes: Uint8Array): ComponentError {
  const imports = whole(bytes).find((section) => section.id === MODULE_SECTION.import);
  const reader = imports && new Reader(bytes, imports.start, imports.end);
  const first = reader && reader.u32() > 0 ? reader.name() : '';
  const what = /^wasi_(snapshot_preview1|unstable)$/.test(first)
    ? 'The file is a core module for WASI preview 1, not a component'
    : 'The file is a WebAssembly core module, not a component';
  const next =
    'Build it for wasm32-wasip2, or wrap it into a component ("wasm-tools component new" with the command adapter).';
  return new ComponentError('core-module', `${what}. ${next}`);
}

function list(bytes: Uint8Array, section: Section, read: (reader: Reader) => string): string[] {
  const reader = new Reader(bytes, section.start, section.end);
  return Array.from({ length: reader.u32() }, () => read(reader));
}

/** A name in one of its forms; form 2 has the rest of its version behind it. */
function readName(reader: Reader): string {
  const form = reader.byte();
  const name = reader.name();
  if (form === 2) reader.name();
  return name;
}

function readImport(reader: Reader): string {
  const name = readName(reader);
  skipDescription(reader);
  return name;
}

function readExport(reader: Reader): string {
  const name = readName(reader);
  // The sort of what is exported, where 0 has the sort of a core item behind it, and its index.
  if (reader.byte() === 0) reader.byte();
  reader.skipNumber();
  if (reader.byte() === 1) skipDescription(reader);
  return name;
}

/** The type of an import or export: a core module, function, value, type, component or instance. */
function skipDescription(reader: Reader): void {
  const kind = reader.byte();
  if (kind === 0) reader.byte();
  // A bound: of a type "equal to that index" or "some resource", of a value "as that value" or "of that type".
  if (kind === 2 || kind === 3) {
    const bound = reader.byte();
    if (kind === 3 && bound === 1) return;
  }
  reader.skipNumber();
}
