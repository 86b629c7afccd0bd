/** What a plugin imports from `sausage`. Files are in `sausage/fs`, TCP in `sausage/net`, tests in `sausage/test`; README.md is the manual. */

export { call, type CallOptions, notify, progress, tell } from './call.ts';
export { endpoint, type Endpoint, type Listening } from './endpoint.ts';
export { env, pid, plugin } from './env.ts';
export { RpcError } from './errors.ts';
export { lock, log, tryLock } from './lock.ts';
export { background, onStop, stopping } from './lifetime.ts';
export { type Context, method, type Method, type Methods, serve, type ServeOptions } from './serve.ts';
export { type Schema, type Static, t } from './schema.ts';
