import { randomUUID } from 'node:crypto';
import { ApiError } from '../../../contract/errors.js';
import { errorMessage } from '../../../lib/text/error-message.js';
import { hidePaths } from '../../../lib/text/hide-paths.js';
import type { MachineSpec } from '../../engine.js';
import { removeDirectory } from '../disk/files.js';
import { frozenBase } from '../machine/base.js';
import { createFrom } from '../machine/create.js';
import type { QemuMachine } from '../machine/qemu-machine.js';
import { type StartParts, startMachine } from '../machine/start-stop.js';
import { freezeMachine } from './freeze.js';
import type { SavedStore } from './saved/store.js';

type ForkParts = StartParts & {
  readonly saved: SavedStore;
  readonly signal: AbortSignal | undefined;
};

/**
 * Copies a machine: a running one with its memory, and the copy runs; a stopped one with its disk
 * only. Afterwards each writes to its own disk layer and has its own links to the shared layers,
 * so either can be removed. On failure the source is unchanged and nothing of the copy remains.
 */
export async function forkMachine(
  from: QemuMachine,
  to: QemuMachine,
  spec: MachineSpec,
  parts: ForkParts,
): Promise<void> {
  const { host, saved, signal } = parts;
  signal?.throwIfAborted();
  await from.recordExit();
  const { record } = from;
  if (record === undefined) {
    throw new ApiError('not_found', 'The computer to copy no longer exists.', {
      remedy: 'See: vc ls --all',
    });
  }
  if (to.record && (to.record.used || to.record.resume === null)) return;
  if (from.qemu) assertSameHardware(record.spec, spec);
  await discard(to);
  try {
    await saved.withTemporary(async (directory) => {
      const frozen = await freezeMachine(from, record, directory, { host, memory: true, signal });
      const base = frozenBase(directory, frozen, randomUUID());
      await createFrom(to, { host, serviceId: record.serviceId }, spec, base);
      if (frozen.memory) await startMachine(to, parts, signal);
    });
  } catch (cause) {
    await discard(to);
    signal?.throwIfAborted();
    if (cause instanceof ApiError) throw cause;
    const reason = hidePaths(errorMessage(cause));
    throw new ApiError('internal', `The computer cannot be copied: ${reason}`, { cause });
  }
}

async function discard(machine: QemuMachine): Promise<void> {
  await machine.qemu?.end(0);
  await removeDirectory(machine.directory);
  machine.forget();
}

function assertSameHardware(source: MachineSpec, copy: MachineSpec): void {
  if (source.cpu === copy.cpu && source.ram === copy.ram) return;
  const message =
    'A copy of a running computer must have the same number of cores and memory size.';
  throw new ApiError('invalid_request', message);
}
