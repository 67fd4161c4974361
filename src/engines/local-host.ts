import { lstatSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { ApiError } from '../contract/errors.js';
import { canAccess } from '../lib/fs/access.js';
import { makeDirectory } from '../lib/fs/directory.js';

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

/**
 * Creates a state directory, mode 0700, unless it exists.
 *
 * Throws ApiError `forbidden` if it is another user's: that user could replace the files in it by links,
 * for root to follow.
 */
export function makeOwnDirectory(path: string): void {
  makeDirectory(path);
  const user = process.geteuid?.();
  if (user === undefined) return;
  const link = lstatSync(path);
  const trusted = link.isSymbolicLink() ? [0, user] : [user];
  const owner = trusted.includes(link.uid) ? statSync(path).uid : link.uid;
  if (owner === user) return;
  throw new ApiError('forbidden', `The directory ${path} belongs to another user.`, {
    remedy: `Run this as its user, whose id is ${owner}, or choose another directory with --state or VC_STATE_DIR`,
  });
}
