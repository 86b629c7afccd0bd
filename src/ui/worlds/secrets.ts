import type { World } from '../../api.ts';

/** Whether an export without secrets leaves something out: `config/secrets.json`, or a token in `config/agent.json`. */
export async function hasSecrets({ fs }: Pick<World, 'fs'>): Promise<boolean> {
  const read = (path: string) => fs.readTextFile(path).catch(() => undefined);
  if ((await read('/config/secrets.json')) !== undefined) return true;
  const agent = await read('/config/agent.json');
  if (agent === undefined) return false;
  try {
    const { token } = JSON.parse(agent);
    return typeof token === 'string' && token !== '';
  } catch {
    return true; // it is left out as a whole
  }
}
