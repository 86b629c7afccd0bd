/**
 * Packs the small worlds to begin with: `public/worlds/worlds.json` names them, each has a folder beside it and the plugins of
 * the playground that it names. What is built is `worlds.json`, with the address and the hash of each zip, and the zips.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './lib/paths.mjs';
import { sha256 } from './plugins.mjs';
import { packWorld, worldFiles } from './world.mjs';

const GALLERY = join(ROOT, 'public/worlds');

/** The worlds with their files, which are paths with `/` and contents. */
export async function galleryWorlds() {
  const shipped = await worldFiles();
  const worlds = JSON.parse(await readFile(join(GALLERY, 'worlds.json'), 'utf8'));
  return Promise.all(
    worlds.map(async ({ name, title, text, plugins }) => {
      const own = name === 'empty' ? [] : await worldFiles(join(GALLERY, name));
      const taken = shipped.filter(([path]) => plugins.some((plugin) => path.startsWith(`plugins/${plugin}/`)));
      return { name, title, text, files: [...own, ...taken] };
    }),
  );
}

/** Writes `worlds.json` and the zips, whose names have neutral endings and a hash, into the built page. */
export async function buildGallery(outDir) {
  await mkdir(join(outDir, 'worlds'), { recursive: true });
  const list = [];
  for (const { name, title, text, files } of await galleryWorlds()) {
    const entry = { name, title, text };
    if (files.length > 0) {
      const zip = packWorld(files);
      const hash = sha256(zip);
      const path = `worlds/${name}-${hash.slice(0, 8)}.bin`;
      await writeFile(join(outDir, path), zip);
      Object.assign(entry, { zip: path, hash });
    }
    list.push(entry);
  }
  await writeFile(join(outDir, 'worlds.json'), `${JSON.stringify(list, null, 2)}\n`);
}
