/**
 * Runs a command for WASI preview 1 with bytes for stdin and collects what it says. It has no files: this is for compilers
 * and tests of our own, in Node or in a worker.
 */

const [SUCCESS, BADF, NOSYS] = [0, 8, 52];

class Exit extends Error {
  constructor(code) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** `module` is a compiled core module; the result has `{ code, stdout, stderr }`, the last as text. */
export function runCommand(module, args, stdin) {
  const output = { 1: [], 2: [] };
  let memory;
  let read = 0;
  const view = () => new DataView(memory.buffer);
  const bytes = (at, length) => new Uint8Array(memory.buffer, at, length);
  const texts = args.map((arg) => new TextEncoder().encode(`${arg}\0`));
  /** Calls `each` with the parts that an array of buffers names, until it answers less than the part has. */
  const parts = (at, count, each) => {
    let total = 0;
    for (let i = 0; i < count; i++) {
      const length = view().getUint32(at + i * 8 + 4, true);
      const done = each(bytes(view().getUint32(at + i * 8, true), length));
      total += done;
      if (done < length) break;
    }
    return total;
  };
  const system = {
    args_sizes_get(count, size) {
      view().setUint32(count, texts.length, true);
      view().setUint32(
        size,
        texts.reduce((sum, { length }) => sum + length, 0),
        true,
      );
      return SUCCESS;
    },
    args_get(pointers, at) {
      texts.forEach((text, i) => {
        view().setUint32(pointers + i * 4, at, true);
        bytes(at, text.length).set(text);
        at += text.length;
      });
      return SUCCESS;
    },
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return SUCCESS;
    },
    environ_get: () => SUCCESS,
    clock_time_get(_clock, _precision, at) {
      view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return SUCCESS;
    },
    fd_fdstat_get(fd, at) {
      if (fd > 2) return BADF;
      bytes(at, 24).fill(0);
      return SUCCESS;
    },
    fd_prestat_get: () => BADF,
    fd_read(fd, buffers, count, at) {
      if (fd !== 0) return BADF;
      const total = parts(buffers, count, (part) => {
        const taken = stdin.subarray(read, read + part.length);
        part.set(taken);
        read += taken.length;
        return taken.length;
      });
      view().setUint32(at, total, true);
      return SUCCESS;
    },
    fd_write(fd, buffers, count, at) {
      if (!output[fd]) return BADF;
      const total = parts(buffers, count, (part) => {
        output[fd].push(part.slice());
        return part.length;
      });
      view().setUint32(at, total, true);
      return SUCCESS;
    },
    proc_exit(code) {
      throw new Exit(code);
    },
    random_get(at, length) {
      crypto.getRandomValues(bytes(at, length));
      return SUCCESS;
    },
  };
  const all = new Proxy(system, { get: (known, name) => known[name] ?? (() => NOSYS) });
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = all[name];
  const instance = new WebAssembly.Instance(module, imports);
  memory = instance.exports.memory;
  let code = 0;
  try {
    instance.exports._start();
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    code = error.code;
  }
  const [stdout, stderr] = [output[1], output[2]].map((chunks) => {
    const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  });
  return { code, stdout, stderr: new TextDecoder().decode(stderr) };
}
