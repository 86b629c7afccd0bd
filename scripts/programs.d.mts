export function missingFor(name: string): string | undefined;
export function buildProgram(name: string): string;
