export function buildWorld(options: { outDir: string }): Promise<{ world: number; pack: number }>;
