import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from './account.js';
import { currentBootId, type ProcessIdentity } from './identity.js';
import { openOwn, readOwn } from './own-file.js';

/** How a machine's QEMU ended. */
export type Ended =
  /** 0: the guest powered itself off, or QEMU was asked to end. */
  | { readonly kind: 'exited'; readonly status: number }
  /** By a signal: it crashed or was killed. */
  | { readonly kind: 'killed'; readonly signal: number }
  /** Nobody was there to see it: the host was restarted, or what waits for QEMU was killed too. */
  | { readonly kind: 'unknown' };

/** What stands in a machine's directory about its last start. */
export interface LaunchRecord {
  readonly identity: ProcessIdentity;
  readonly ended?: Ended;
}

const NAME = 'process';
const MOST_BYTES = 4096;

/** Begins a new record; what stands around QEMU adds to it through the descriptor. */
export async function beginRecord(directory: string, account: Account): Promise<FileHandle> {
  const { O_RDWR, O_TRUNC, O_APPEND } = constants;
  const file = await openOwn(join(directory, NAME), O_RDWR | O_TRUNC | O_APPEND);
  await file.writeFile(`boot ${await currentBootId()} ${account.uid}\n`);
  return file;
}

/**
 * What was last started in this directory, also by a service that ended before it could write
 * anything down itself. Undefined when no QEMU ever began.
 */
export async function readRecord(directory: string): Promise<LaunchRecord | undefined> {
  return parseRecord((await readOwn(join(directory, NAME), MOST_BYTES)) ?? '');
}

export function parseRecord(text: string): LaunchRecord | undefined {
  const [, bootId, uid] = /^boot (\S+) (\d+)$/m.exec(text) ?? [];
  const [, pid, startTime] = /^pid (\d+) (\d+)$/m.exec(text) ?? [];
  if (bootId === undefined || pid === undefined) return undefined;
  const identity = { pid: Number(pid), startTime: Number(startTime), bootId, uid: Number(uid) };
  const status = /^ended (\d+)$/m.exec(text)?.[1];
  return status === undefined ? { identity } : { identity, ended: endedBy(Number(status)) };
}

/** From a shell's exit status, in which signals begin at 128. */
export function endedBy(status: number): Ended {
  return status > 128 ? { kind: 'killed', signal: status - 128 } : { kind: 'exited', status };
}
