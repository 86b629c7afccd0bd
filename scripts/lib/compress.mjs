import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const COMPRESSIBLE = /\.(js|css|html|svg|json|txt|bin|world|pack|webmanifest)$/;
const SMALLEST = 1024;
/** Above this size the last step of brotli takes seconds and gains a few percent. */
const LARGE = 1024 * 1024;

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** Puts `file.br` and `file.gz` beside each file that gets at least 5 % smaller, for servers that send such files. */
export async function compressAll(folder, files) {
  await Promise.all(
    files
      .filter((file) => COMPRESSIBLE.test(file))
      .map(async (file) => {
        const path = join(folder, file);
        const data = await readFile(path);
        if (data.length < SMALLEST) return;
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: data.length > LARGE ? 9 : 11,
          [constants.BROTLI_PARAM_SIZE_HINT]: data.length,
        };
        const variants = { br: await brotli(data, { params }), gz: await deflate(data, { level: 9 }) };
        for (const [extension, compressed] of Object.entries(variants)) {
          if (compressed.length < data.length * 0.95) await writeFile(`${path}.${extension}`, compressed);
        }
      }),
  );
}
