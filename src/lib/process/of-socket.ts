import { readdir, readlink } from 'node:fs/promises';

/**
 * The id of a process that has one of these sockets open, Linux only. Undefined if none has, or it
 * belongs to another user whose files this process may not see.
 */
export async function processOfSocket(inodes: readonly number[]): Promise<number | undefined> {
  if (inodes.length === 0) return undefined;
  const links = new Set(inodes.map((inode) => `socket:[${inode}]`));
  for (const pid of await listed('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const directory = `/proc/${pid}/fd`;
    for (const name of await listed(directory)) {
      const link = await readlink(`${directory}/${name}`).catch(() => '');
      if (links.has(link)) return Number(pid);
    }
  }
  return undefined;
}

/** Empty for a process that has ended or is another user's. */
function listed(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}
