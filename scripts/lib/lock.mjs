import { open, readFile, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Runs `work` while holding a lock between processes: a file with the holder's process ID. The lock of a process that
 * is gone is taken over.
 */
export async function withLock(path, work) {
  for (;;) {
    const file = await open(path, 'wx').catch((error) => {
      if (error.code === 'EEXIST') return undefined;
      throw error;
    });
    if (file) {
      await file.writeFile(String(process.pid));
      await file.close();
      break;
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => '0'));
    if (holder > 0 && !isAlive(holder)) await rm(path, { force: true });
    else await pause(100);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}
