import { env as read } from 'sausage:host';

/** The environment variables of this process. */
export const env: Readonly<Record<string, string>> = read();

/** The ID of this process, which is also the ID of the call that it answers. */
export const pid: string = env.SAUSAGE_PID ?? '';

/** The name of this plugin. */
export const plugin: string = env.SAUSAGE_PLUGIN ?? '';
