export function loadModule(path: string): Promise<Record<string, unknown>>;
export function buildFloor(outDir: string): Promise<void>;
