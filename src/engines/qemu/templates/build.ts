import { chmod, chown, constants, open, readdir, rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { generateKeyPair } from '../../../shell/keys.js';
import { ensureDirectory, names, removeDirectory } from '../files.js';
import { identityOf, withAgent } from '../guest/configure.js';
import type { Host } from '../host.js';
import type { InstalledImage } from '../images.js';
import { FILES } from '../layout.js';
import { linkImage, newRecord } from '../making.js';
import { leavesMemory, saveStopped } from '../migration.js';
import { powerOn } from '../power.js';
import {
  giveToMachine,
  prepareDirectory,
  readRecord,
  signalProcess,
  waitForEnd,
} from '../process/index.js';
import { createLayer } from '../qcow2.js';
import type { Shape } from './key.js';
import type { TemplateRecord } from './store.js';

/** Longer than the guest itself tries (300 s): an emulated one, on a host that is busy, needs it. */
const READY_MS = 330_000;
const SETTLE_MS = 120_000;
const END_MS = 10_000;

export interface BuildOptions {
  /** `background`: in favour of everything else on the host. */
  readonly priority: 'normal' | 'background';
  /** How its memory is to be kept; `mapped` only where this QEMU can. See {@link TemplateRecord}. */
  readonly memory: TemplateRecord['memory'];
  onProgress(step: string): void;
  readonly signal?: AbortSignal | undefined;
}

/** Ends and removes what a build that was broken off has left. Only for who holds the lock. */
export async function discardBuild(directory: string): Promise<void> {
  const last = await readRecord(directory).catch(() => undefined);
  // Nothing of it is kept: it need not write anything out.
  if (last && !last.ended && (await signalProcess(last.identity, 'SIGKILL'))) {
    await waitForEnd(directory, last.identity, AbortSignal.timeout(END_MS));
  }
  await removeDirectory(directory);
}

/**
 * Boots a guest that belongs to nobody in `directory`, waits until its desktop has come to rest and
 * saves it. The directory then holds its disk's layers, the memory and the state of the devices, all
 * of them the service's own.
 */
export async function buildTemplate(
  host: Host,
  directory: string,
  image: InstalledImage,
  shape: Shape,
  { priority, memory: wanted, onProgress, signal }: BuildOptions,
): Promise<Pick<TemplateRecord, 'layers' | 'memory'>> {
  const account = await prepareDirectory(directory);
  const place = { directory, account };
  await linkImage(image, directory);
  const record = await newRecord(image, nobody(shape, image), '');
  const layer = record.layers.at(-1) ?? '';
  const { diskBytes: bytes } = record.image;
  await createLayer(directory, { name: layer, backing: FILES.image, bytes });
  await giveToMachine(account, join(directory, layer));
  onProgress('booting');
  let memory = wanted;
  const qemu = await powerOn(host, place, record, {
    from: 'model',
    signal,
    onLaunched: async ({ pid }) => {
      if (priority === 'background') await yieldToOthers(pid);
    },
  });
  try {
    const { guest } = await host.network();
    const identity = { ...identityOf(record, guest), hostname: 'vc-template' };
    await withAgent(
      place,
      async (agent) => {
        await agent.configure(identity, signal);
        await agent.ready(READY_MS, signal);
        onProgress('settling');
        await agent.settle(SETTLE_MS, signal);
      },
      { signal },
    );
    onProgress('saving');
    await qemu.execute('stop');
    if (!(await leavesMemory(qemu))) memory = 'saved';
    await saveStopped(qemu, {
      path: join(directory, FILES.state),
      memory: memory === 'saved' ? shape.ram * 2 ** 30 : 'in place',
      signal,
    });
  } finally {
    await qemu.end(0);
  }
  await takeOver(directory, [
    FILES.image,
    FILES.kernel,
    FILES.initrd,
    FILES.state,
    ...(memory === 'mapped' ? [FILES.memory] : []),
    layer,
  ]);
  return { layers: record.layers, memory };
}

/** Of the files in a directory only `keep` stay, as the service's own and on the disk for good. */
async function takeOver(directory: string, keep: readonly string[]): Promise<void> {
  for (const name of await names(directory)) {
    if (!keep.includes(name)) await rm(join(directory, name), { recursive: true, force: true });
  }
  const root = process.getuid?.() === 0;
  if (root) await chown(directory, 0, 0);
  await ensureDirectory(directory);
  for (const name of keep) {
    const path = join(directory, name);
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      if (root) await file.chown(0, 0);
      await file.chmod(name === FILES.memory ? 0o600 : 0o444);
      await file.datasync();
    } finally {
      await file.close();
    }
  }
  await chmod(directory, 0o700);
}

/** A machine that nobody owns and nobody can log in to: the private half of its key is not kept. */
function nobody(shape: Shape, image: InstalledImage) {
  return {
    ...{ id: 'template', ownerId: '', projectId: '', gpu: 'none' },
    ...{ os: image.os, image: shape.image, cpu: shape.cpu, ram: shape.ram },
    resolution: shape.resolution,
    authorizedKey: generateKeyPair().publicKey,
  };
}

/** Every thread of the process; those that it starts later are like the one that starts them. */
async function yieldToOthers(pid: number): Promise<void> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  for (const thread of threads) {
    try {
      setPriority(Number(thread), 19);
    } catch {
      // It has ended meanwhile.
    }
  }
}
