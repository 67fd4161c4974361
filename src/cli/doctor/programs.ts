import { constants, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canAccess } from '../../lib/fs/access.js';
import type { Environment } from '../../profile/index.js';

/** Where a program is, also in the directories that only root's PATH has. */
export async function findProgram(name: string, env: Environment): Promise<string | undefined> {
  const directories = [...(env.PATH ?? '').split(':'), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  for (const directory of directories.filter((entry) => entry.startsWith('/'))) {
    const path = join(directory, name);
    if (await canAccess(path, constants.X_OK)) return path;
  }
  return undefined;
}

/** Does `/etc/subuid` (or subgid) give `user` a range, which unprivileged image builds need? */
export async function hasSubordinateIds(
  user: string,
  path: '/etc/subuid' | '/etc/subgid',
): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').some((line) => line.startsWith(`${user}:`));
}
