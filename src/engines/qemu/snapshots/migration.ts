import { spawn } from 'node:child_process';
import { type FileHandle, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../../contract/errors.js';
import { sleep } from '../../../lib/async/sleep.js';
import { FILES } from '../layout.js';
import type { QemuProcess } from '../machine/qemu-process.js';
import { QmpError } from '../monitor/client.js';
import type { Message } from '../monitor/json-lines.js';
import type { RequestOptions } from '../monitor/json-peer.js';
import { connectSocket } from '../socket.js';
import { openMigrationSink } from './migration-sink.js';

const RESUME_MS = 120_000;
/** Limit for the state of devices and firmware, which takes some megabytes. */
const MAX_DEVICE_BYTES = 512 << 20;
/** A paused guest's memory takes its own size in the stream, plus page headers. */
const MEMORY_OVERHEAD = 1.1;
/** Bytes per second that QEMU may send; its default is 128 MiB. */
export const UNLIMITED = 2 ** 40;

/** Leaves memory that is a shared file out of the stream. */
const IGNORE_SHARED = 'x-ignore-shared';

const ENDED: ReadonlySet<string> = new Set(['none', 'completed', 'failed', 'cancelled']);
/** Run states of a guest that a migration has paused. */
export const PAUSED_STATES: ReadonlySet<string> = new Set([
  'paused',
  'finish-migrate',
  'postmigrate',
]);
/** On a busy host an emulated guest's QEMU may take seconds to finish. */
const CANCELLED_WITHIN_MS = 30_000;
const POLL_MS = 5;

export function capabilities(of: Readonly<Record<string, boolean>>): Message {
  const list = Object.entries(of).map(([capability, state]) => ({ capability, state }));
  return { capabilities: list };
}

/** QEMU's report on the present or last migration. */
export async function migrationStatus(
  qemu: QemuProcess,
  options: Partial<RequestOptions> = {},
): Promise<Message> {
  return (await qemu.execute('query-migrate', undefined, options)) as Message;
}

/** Loads saved state into a QEMU that was started with `-incoming defer`, then runs the guest. */
export async function resumeFromState(
  qemu: QemuProcess,
  options: {
    /** QEMU's descriptor of the state, or the compressed file. */
    readonly state: number | FileHandle;
    /** The memory is a mapped file and not part of the state. */
    readonly mapped: boolean;
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const { state, mapped, signal } = options;
  const call = signal ? { signal } : {};
  if (mapped) await ignoreSharedMemory(qemu, call);
  if (typeof state === 'number') {
    await qemu.execute('migrate-incoming', { uri: `fd:${state}` }, call);
  } else {
    await qemu.execute('migrate-incoming', { uri: `unix:${FILES.migration}` }, call);
    await decompressInto(qemu.workspace.directory, state, signal);
  }
  for (const end = performance.now() + RESUME_MS; ; ) {
    const { status } = await migrationStatus(qemu, call);
    if (status === 'completed') break;
    if (status === 'failed' || performance.now() > end) {
      throw new ApiError('guest_failed', `QEMU cannot load the saved state (${String(status)}).`);
    }
    await sleep(4, signal);
  }
  await qemu.execute('cont', undefined, call);
}

/** The first bytes of a file of zstd. */
const ZSTD = Buffer.from('28b52ffd', 'hex');

export async function isCompressed(state: FileHandle): Promise<boolean> {
  const { buffer } = await state.read(Buffer.alloc(ZSTD.length), 0, ZSTD.length, 0);
  return buffer.equals(ZSTD);
}

/** Starts to send the decompressed file to the socket that QEMU listens on for it. */
async function decompressInto(
  directory: string,
  state: FileHandle,
  signal: AbortSignal | undefined,
): Promise<void> {
  const socket = await connectSocket(directory, FILES.migration, signal);
  try {
    const child = spawn('zstd', ['-d', '-q', '-c'], { stdio: [state.fd, socket, 'ignore'] });
    // QEMU then reports that the state is incomplete.
    child.on('error', () => undefined);
  } finally {
    socket.destroy();
    await rm(join(directory, FILES.migration), { force: true });
  }
}

/** True if this QEMU can leave the memory in a shared file. */
export async function supportsMappedMemory(qemu: QemuProcess): Promise<boolean> {
  const known = (await qemu.execute('query-migrate-capabilities')) as { capability: string }[];
  return known.some(({ capability }) => capability === IGNORE_SHARED);
}

async function ignoreSharedMemory(qemu: QemuProcess, call: Partial<RequestOptions>): Promise<void> {
  const wanted = capabilities({ [IGNORE_SHARED]: true });
  await qemu.execute('migrate-set-capabilities', wanted, call);
}

/** Saves a paused guest's state to the file `path`. */
export async function savePaused(
  qemu: QemuProcess,
  options: {
    readonly path: string;
    /** The memory's size in bytes; `mapped` if it stays in a shared file. */
    readonly memory: number | 'mapped';
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const { path, memory, signal } = options;
  const call = signal ? { signal } : {};
  const mapped = memory === 'mapped';
  const limit = (mapped ? 0 : Math.ceil(memory * MEMORY_OVERHEAD)) + MAX_DEVICE_BYTES;
  const sink = await openMigrationSink(qemu.workspace, { path, limit });
  try {
    if (mapped) await ignoreSharedMemory(qemu, call);
    await qemu.execute('migrate-set-parameters', { 'max-bandwidth': UNLIMITED }, call);
    await qemu.execute('migrate', { uri: sink.uri }, call);
    for (let status: unknown; status !== 'completed'; await sleep(10, signal)) {
      const answer = await migrationStatus(qemu, call);
      status = answer.status;
      if (status === 'failed' || status === 'cancelled') {
        const message = `QEMU cannot save the machine: ${String(answer['error-desc'] ?? status)}`;
        throw new ApiError('guest_failed', message);
      }
    }
    await sink.received;
  } finally {
    await sink.close();
  }
}

/**
 * Cancels an outgoing migration, also one that an earlier service started, and continues the guest
 * unless something else has paused it. Must not be called while a machine resumes: that is an
 * incoming migration. Throws if QEMU does not cancel in time.
 */
export async function cancelMigration(
  qemu: QemuProcess,
  options: Partial<RequestOptions> = {},
  withinMs = CANCELLED_WITHIN_MS,
): Promise<void> {
  let requested = false;
  let lastError: unknown;
  for (const end = performance.now() + withinMs; performance.now() < end; await sleep(POLL_MS)) {
    const { status = 'none' } = await migrationStatus(qemu, options);
    if (!ENDED.has(String(status))) {
      if (!requested) await qemu.execute('migrate_cancel', undefined, options);
      requested = true;
      continue;
    }
    if (!PAUSED_STATES.has(await qemu.status(options))) return;
    try {
      await qemu.execute('cont', undefined, options);
      return;
    } catch (error) {
      // Just after a migration QEMU rejects `cont`: "not finalized yet".
      if (!(error instanceof QmpError)) throw error;
      lastError = error;
    }
  }
  const message = 'The computer is paused by a copy that cannot be cancelled; stop and start it.';
  throw new ApiError('guest_failed', message, { cause: lastError });
}

/** Removes the saved memory and devices that a machine's first start resumes. */
export async function removeResumeFiles(directory: string): Promise<void> {
  for (const name of [FILES.memory, FILES.state]) {
    await rm(join(directory, name), { force: true });
  }
}
