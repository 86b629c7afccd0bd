import type { Namespace, Node } from '../../fs/filesystem.ts';
import type { TreeEntry } from './tree.ts';

/** Says what is to be done with an entry of a zip that is to hold no secrets. */
export type SecretRule = (entry: TreeEntry) => 'keep' | 'leave out' | 'blank tokens';

/** `config/secrets.json` stays here and `config/agent.json` goes without its token, under whatever names they have. */
export function secretRule(world: Namespace): SecretRule {
  const secrets = nodeAt(world, '/config/secrets.json');
  const agent = nodeAt(world, '/config/agent.json');
  return ({ path, node }) => {
    if (path === 'config/secrets.json' || node === secrets) return 'leave out';
    return node === agent ? 'blank tokens' : 'keep';
  };
}

function nodeAt(world: Namespace, path: string): Node | undefined {
  try {
    return world.resolve(world.root, path, { follow: true });
  } catch {
    return undefined;
  }
}

/**
 * The text of an `agent.json` with every `token` that is a string made empty; a reference to a secret stays. Undefined
 * when the text is no JSON: what is in there nobody can tell.
 */
export function blankTokens(text: string): string | undefined {
  try {
    const blanked = JSON.parse(text, (key, value) => (key === 'token' && typeof value === 'string' ? '' : value));
    return `${JSON.stringify(blanked, null, 2)}\n`;
  } catch {
    return undefined;
  }
}
