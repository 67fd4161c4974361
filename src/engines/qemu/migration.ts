import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../contract/errors.js';
import type { Qemu } from './qemu.js';
import type { Message } from './qmp/json-lines.js';
import type { AskOptions } from './qmp/json-peer.js';
import { receive } from './receiver.js';

const RESTORE_MS = 120_000;
/** Devices and firmware take some megabytes. */
const MOST_DEVICES = 512 << 20;
/** The memory of a stopped guest takes its own size, and a little to say which page is which. */
const MEMORY_OVERHEAD = 1.1;
/** Bytes a second that QEMU may send; it stops at 128 MiB if nothing is said. */
export const UNLIMITED = 2 ** 40;

/** QEMU leaves memory out of the stream that others see in the same file. */
const MEMORY_IN_PLACE = 'x-ignore-shared';

export function capabilities(of: Readonly<Record<string, boolean>>): Message {
  const list = Object.entries(of).map(([capability, state]) => ({ capability, state }));
  return { capabilities: list };
}

/** What QEMU says about a migration under way, or done. */
export async function migrationStatus(
  qemu: Qemu,
  options: Partial<AskOptions> = {},
): Promise<Message> {
  return (await qemu.execute('query-migrate', undefined, options)) as Message;
}

/** Fills a QEMU that was started to wait for it with a saved state, and lets the guest go on. */
export async function restore(
  qemu: Qemu,
  options: { fd: number; memoryInPlace: boolean; signal: AbortSignal | undefined },
): Promise<void> {
  const { fd, memoryInPlace, signal } = options;
  const call = signal ? { signal } : {};
  if (memoryInPlace) {
    const set = capabilities({ [MEMORY_IN_PLACE]: true });
    await qemu.execute('migrate-set-capabilities', set, call);
  }
  await qemu.execute('migrate-incoming', { uri: `fd:${fd}` }, call);
  for (const end = performance.now() + RESTORE_MS; ; ) {
    const { status } = await migrationStatus(qemu, call);
    if (status === 'completed') break;
    if (status === 'failed' || performance.now() > end) {
      throw new ApiError('guest_failed', `QEMU could not restore the memory (${String(status)}).`);
    }
    await sleep(4, undefined, call);
  }
  await qemu.execute('cont', undefined, call);
}

/** True when this QEMU can leave memory where it is, in a shared file. */
export async function leavesMemory(qemu: Qemu): Promise<boolean> {
  const known = (await qemu.execute('query-migrate-capabilities')) as { capability: string }[];
  return known.some(({ capability }) => capability === MEMORY_IN_PLACE);
}

/**
 * Saves a stopped guest to the file `path`: its devices, and its memory of so many bytes unless that
 * is left in place, in a shared file.
 */
export async function saveStopped(
  qemu: Qemu,
  options: {
    readonly path: string;
    readonly memory: number | 'in place';
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const { path, memory, signal } = options;
  const call = signal ? { signal } : {};
  const inPlace = memory === 'in place';
  const limit = (inPlace ? 0 : Math.ceil(memory * MEMORY_OVERHEAD)) + MOST_DEVICES;
  const receiver = await receive(qemu.place, { path, limit });
  try {
    if (inPlace) {
      const set = capabilities({ [MEMORY_IN_PLACE]: true });
      await qemu.execute('migrate-set-capabilities', set, call);
    }
    await qemu.execute('migrate-set-parameters', { 'max-bandwidth': UNLIMITED }, call);
    await qemu.execute('migrate', { uri: receiver.uri }, call);
    for (let status: unknown; status !== 'completed'; await sleep(10, undefined, call)) {
      const answer = await migrationStatus(qemu, call);
      status = answer.status;
      if (status === 'failed' || status === 'cancelled') {
        const message = `QEMU could not save the machine: ${String(answer['error-desc'] ?? status)}`;
        throw new ApiError('guest_failed', message);
      }
    }
    await receiver.received;
  } finally {
    await receiver.close();
  }
}
