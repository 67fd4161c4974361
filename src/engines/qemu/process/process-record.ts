import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../../../lib/async/sleep.js';
import { currentBootId, type ProcessIdentity, processIs } from '../../../lib/process/identity.js';
import type { Account } from './account.js';
import { openOwnFile, readOwnFile } from './own-file.js';

/** How a machine's QEMU ended. */
export type ProcessExit =
  /** 0: the guest powered itself off, or QEMU was told to quit. */
  | { readonly kind: 'exited'; readonly status: number }
  /** It crashed or was killed. */
  | { readonly kind: 'killed'; readonly signal: number }
  /** Not recorded: the host was restarted, or the supervisor was killed too. */
  | { readonly kind: 'unknown' };

/** The process that a machine was last started as; the file `process` in its directory. */
export interface ProcessRecord {
  readonly identity: ProcessIdentity;
  readonly exited?: ProcessExit;
}

const NAME = 'process';
const MAX_BYTES = 4096;
const FIRST_POLL_MS = 5;
const POLL_MS = 250;
/** The supervisor records how QEMU ended within this time. */
const RECORDED_WITHIN_MS = 2_000;

/** Starts a new record; the supervisor appends to it through the returned file. */
export async function createProcessRecord(
  directory: string,
  account: Account,
): Promise<FileHandle> {
  const { O_RDWR, O_TRUNC, O_APPEND } = constants;
  const file = await openOwnFile(join(directory, NAME), O_RDWR | O_TRUNC | O_APPEND);
  await file.writeFile(`boot ${await currentBootId()} ${account.uid}\n`);
  return file;
}

/**
 * The last process in this directory, spawned by this service or an earlier one. Undefined if QEMU
 * was never executed.
 */
export async function readProcessRecord(directory: string): Promise<ProcessRecord | undefined> {
  return parseProcessRecord((await readOwnFile(join(directory, NAME), MAX_BYTES)) ?? '');
}

export function parseProcessRecord(text: string): ProcessRecord | undefined {
  const [, bootId, uid] = /^boot (\S+) (\d+)$/m.exec(text) ?? [];
  const [, pid, startTime] = /^pid (\d+) (\d+)$/m.exec(text) ?? [];
  if (bootId === undefined || pid === undefined) return undefined;
  const identity = { pid: Number(pid), startTime: Number(startTime), bootId, uid: Number(uid) };
  const status = /^ended (\d+)$/m.exec(text)?.[1];
  return status === undefined ? { identity } : { identity, exited: exitFromStatus(Number(status)) };
}

/** Decodes a shell's exit status, in which signals start at 128. */
function exitFromStatus(status: number): ProcessExit {
  return status > 128 ? { kind: 'killed', signal: status - 128 } : { kind: 'exited', status };
}

/**
 * Resolves with how a machine's QEMU ended, once it has. Polls /proc, because the QEMU may be the
 * child of an earlier service.
 */
export async function waitForExit(
  directory: string,
  identity: ProcessIdentity,
  signal?: AbortSignal,
): Promise<ProcessExit> {
  for (let ms = FIRST_POLL_MS; await processIs(identity); ms = Math.min(2 * ms, POLL_MS)) {
    await sleep(ms, signal);
  }
  const deadline = performance.now() + RECORDED_WITHIN_MS;
  do {
    const record = await readProcessRecord(directory);
    if (record === undefined || !isSame(record.identity, identity)) break;
    if (record.exited !== undefined) return record.exited;
    await sleep(10, signal);
  } while (performance.now() < deadline);
  return { kind: 'unknown' };
}

function isSame(one: ProcessIdentity, other: ProcessIdentity): boolean {
  const { pid, startTime, bootId } = other;
  return one.pid === pid && one.startTime === startTime && one.bootId === bootId;
}
