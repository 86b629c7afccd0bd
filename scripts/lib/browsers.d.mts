export function findChromium(): Promise<string | undefined>;
export function findFirefox(): string | undefined;
export function needChromium(): Promise<string>;
