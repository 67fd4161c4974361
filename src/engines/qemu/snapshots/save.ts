import { join } from 'node:path';
import { ApiError } from '../../../contract/errors.js';
import { errorMessage } from '../../../lib/text/error-message.js';
import { hidePaths } from '../../../lib/text/hide-paths.js';
import type { SavedDisk, SaveRequest } from '../../engine.js';
import { linkOrCopy } from '../disk/files.js';
import { shareFiles } from '../disk/layers.js';
import type { QemuHost } from '../host.js';
import { FILES } from '../layout.js';
import type { MachineRegistry } from '../machine/registry.js';
import { freezeMachine } from './freeze.js';
import type { FrozenMachine } from './saved/record.js';
import type { SavedStore } from './saved/store.js';

export interface SaveParts {
  readonly host: QemuHost;
  readonly machines: Pick<MachineRegistry, 'withMachine'>;
  readonly saved: SavedStore;
}

/** Saves a machine's disk, or a disk that was saved from it. Idempotent by `request.id`. */
export async function saveMachine(
  machine: string,
  request: SaveRequest,
  { host, machines, saved }: SaveParts,
  signal: AbortSignal | undefined,
): Promise<SavedDisk> {
  const { id, kind, memory, forCopies = false, of } = request;
  const add = (freeze: (directory: string) => Promise<FrozenMachine>) =>
    saved.add(id, async (directory) => {
      const createdAt = new Date().toISOString();
      return { version: 1, id, kind, machine, createdAt, ...(await freeze(directory)) };
    });
  try {
    if (of) {
      if (!(await saved.find(id))) {
        await add((directory) => copySaved(saved, of.id, directory, memory));
      }
    } else {
      await machines.withMachine(machine, async (found, record) => {
        signal?.throwIfAborted();
        if (await saved.find(id)) return;
        await found.recordExit();
        const parts = { host, memory, forCopies, signal };
        await add((directory) => freezeMachine(found, found.record ?? record, directory, parts));
      });
    }
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof ApiError) throw cause;
    const reason = hidePaths(errorMessage(cause));
    throw new ApiError('internal', `The computer cannot be saved: ${reason}`, { cause });
  }
  const disk = (await saved.list()).find((each) => each.id === id);
  if (disk) return disk;
  throw new ApiError('not_found', 'The saved disk was removed meanwhile.');
}

async function copySaved(
  saved: SavedStore,
  of: string,
  directory: string,
  memory: SaveRequest['memory'],
): Promise<FrozenMachine> {
  const record = await saved.get(of);
  const { image, layers } = record;
  const from = saved.of(of);
  await shareFiles(from, directory, record);
  const files = [
    ...(image.firmware === 'uefi' ? [FILES.variables] : []),
    ...(memory && record.memory ? [FILES.state] : []),
  ];
  for (const name of files) await linkOrCopy(join(from, name), join(directory, name));
  return { image, layers, memory: memory ? record.memory : null };
}
