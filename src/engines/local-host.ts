import { readFile } from 'node:fs/promises';
import { canAccess } from '../lib/fs/access.js';

/** True where systemd is this host's init. */
export function runsSystemd(): Promise<boolean> {
  return canAccess('/run/systemd/system');
}

export async function isInGroup(user: string, group: string): Promise<boolean> {
  const line = (await readFile('/etc/group', 'utf8').catch(() => ''))
    .split('\n')
    .find((entry) => entry.startsWith(`${group}:`));
  return line?.split(':')[3]?.split(',').includes(user) ?? false;
}
