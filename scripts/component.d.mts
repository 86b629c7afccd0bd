export function componentFromModule(module: Uint8Array): Promise<Buffer>;
