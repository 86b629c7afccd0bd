export function ensureBuilt(options?: { force?: boolean; debug?: boolean }): Promise<void>;
