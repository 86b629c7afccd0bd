/** The commands of the console that call no plugin. */

import type { World } from '../../api.ts';
import { fileProblem, problem } from '../model/problem.ts';
import { strings } from '../strings.ts';
import type { Output } from './entry.ts';
import type { WorldKnowledge } from './knowledge.ts';
import { BUILTINS, type Builtin, type Command } from './parse.ts';

/** The most that `cat` shows, in bytes. */
const CAT_LIMIT = 256 * 1024;
const BYTES_SHOWN = 64;

/** All but `clear`, which is the console's own. */
export function runBuiltin(
  name: Exclude<Builtin, 'clear'>,
  argument: string,
  world: World,
  knowledge: WorldKnowledge,
): Promise<Output> {
  switch (name) {
    case 'help':
      return help(argument, knowledge);
    case 'ls':
      return ls(absolute(argument), world);
    case 'cat':
      return cat(argument, world);
    case 'edit':
      return edit(argument, world);
  }
}

const slip = (sentence: string, next: string): Output => ({ kind: 'problem', problem: { slip: true, sentence, next } });

/** There is one current folder, the root of the world. */
const absolute = (path: string) => `/${path}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1');

async function help(plugin: string, knowledge: WorldKnowledge): Promise<Output> {
  const plugins = await knowledge.plugins();
  if (plugin === '') return { kind: 'help', plugins };
  if (!plugins.includes(plugin)) {
    return slip(strings.errors.noPlugin(plugin), strings.errors.noPluginNext);
  }
  try {
    return { kind: 'interface', plugin, interface: await knowledge.askInterfaceOf(plugin) };
  } catch (error) {
    return { kind: 'problem', problem: problem(error, strings.help.about(plugin)) };
  }
}

async function ls(path: string, world: World): Promise<Output> {
  try {
    const entries = await world.fs.readDir(path);
    const folder = (entry: { kind: string }) => (entry.kind === 'directory' ? 0 : 1);
    return {
      kind: 'folder',
      entries: entries.toSorted((a, b) => folder(a) - folder(b) || a.name.localeCompare(b.name)),
    };
  } catch (error) {
    return { kind: 'problem', problem: fileProblem(error, path) };
  }
}

async function cat(argument: string, world: World): Promise<Output> {
  if (argument === '') {
    return slip(strings.mistakes.catWhat, strings.mistakes.catNext);
  }
  const path = absolute(argument);
  try {
    const { kind } = await world.fs.stat(path);
    if (kind === 'directory') {
      return slip(strings.mistakes.folder(path), strings.mistakes.folderNext(path));
    }
    return show(await world.fs.readFile(path));
  } catch (error) {
    return { kind: 'problem', problem: fileProblem(error, path) };
  }
}

async function edit(argument: string, world: World): Promise<Output> {
  if (argument === '') return slip(strings.mistakes.editWhat, strings.mistakes.editNext);
  const path = absolute(argument);
  try {
    const { kind } = await world.fs.stat(path);
    if (kind === 'directory') return slip(strings.mistakes.folder(path), strings.mistakes.folderNext(path));
    return { kind: 'opened', path };
  } catch (error) {
    return { kind: 'problem', problem: fileProblem(error, path) };
  }
}

/** Text as text; anything else by its size and first bytes. A character that the limit cuts does not count against the text. */
export function show(bytes: Uint8Array): Output {
  const size = bytes.length;
  const begin = bytes.subarray(0, CAT_LIMIT);
  try {
    if (begin.includes(0)) throw new TypeError('a NUL is in no text');
    const text = new TextDecoder('utf-8', { fatal: true }).decode(begin, { stream: size > CAT_LIMIT });
    return size > CAT_LIMIT ? { kind: 'text', text, size, shown: CAT_LIMIT } : { kind: 'text', text };
  } catch {
    return { kind: 'bytes', begin: bytes.slice(0, BYTES_SHOWN), size };
  }
}

const brief = (text: string, length: number) => (text.length > length ? `${text.slice(0, length)}…` : text);

/** What to type instead of a line that is neither a call nor a command. */
export async function correct(
  command: Extract<Command, { kind: 'word' | 'params' }>,
  knowledge: WorldKnowledge,
): Promise<Output> {
  if (command.kind === 'params') {
    const { syntax, notObject, notJson } = strings.mistakes;
    const rest = brief(command.rest, 24);
    const sentence = { syntax: syntax(rest), 'not-object': notObject, 'not-json': notJson }[command.problem];
    return slip(sentence, strings.mistakes.paramsNext(command.method));
  }
  const { word } = command;
  const isPlugin = (await knowledge.plugins()).includes(word);
  if (!isPlugin) {
    const near = BUILTINS.find((name) => name === word.toLowerCase());
    const next = near ? strings.mistakes.pluginNext([`“${near}”`]) : strings.mistakes.wordNext;
    return slip(strings.mistakes.word(brief(word, 60)), next);
  }
  const methods = (await knowledge.interfaceOf(word))?.methods.slice(0, 2) ?? [];
  const examples = methods.map((method) => `${word}.${method.name}`);
  const next = examples.length > 0 ? strings.mistakes.pluginNext(examples) : strings.mistakes.pluginHelp(word);
  return slip(strings.mistakes.plugin(word), next);
}
