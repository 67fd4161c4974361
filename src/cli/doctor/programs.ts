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

const RANGES = ['/etc/subuid', '/etc/subgid'] as const;
/** The first id and the number of ids that distributions give to the first user. */
const FIRST_RANGE = 100_000;
const RANGE = 65_536;

/** The first `RANGE` ids that neither `/etc/subuid` nor `/etc/subgid` gives to a user, as FIRST-LAST. */
export async function freeSubordinateIds(paths: readonly string[] = RANGES): Promise<string> {
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8').catch(() => '')));
  const taken = texts
    .flatMap((text) => text.split('\n'))
    .map((line) => line.split(':').slice(1).map(Number))
    .map(([first = Number.NaN, count = 0]) => ({ first, end: first + count }))
    .filter(({ first, end }) => end > first)
    .sort((one, other) => one.first - other.first);
  let free = FIRST_RANGE;
  for (const { first, end } of taken) {
    if (first < free + RANGE && end > free) free = end;
  }
  return `${free}-${free + RANGE - 1}`;
}

/** Does `/etc/subuid` (or subgid) give `user` a range, which unprivileged image builds need? */
export async function hasSubordinateIds(
  user: string,
  path: '/etc/subuid' | '/etc/subgid',
): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').some((line) => line.startsWith(`${user}:`));
}
