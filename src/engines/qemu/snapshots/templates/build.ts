import { chmod, chown, constants, open, readdir, rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { signalProcess } from '../../../../lib/process/identity.js';
import { generateKeyPair } from '../../../../shell/keys.js';
import { ensureDirectory, names, removeDirectory } from '../../disk/files.js';
import { createTopLayer } from '../../disk/layers.js';
import { guestIdentity, withAgent } from '../../guest/agent.js';
import type { QemuHost } from '../../host.js';
import { FILES } from '../../layout.js';
import type { Base } from '../../machine/base.js';
import { createRecord } from '../../machine/create.js';
import { startQemu } from '../../machine/start-qemu.js';
import { prepareDirectory } from '../../process/account.js';
import { readProcessRecord, waitForExit } from '../../process/process-record.js';
import { savePaused, supportsMappedMemory } from '../migration.js';
import type { Shape, TemplateRecord } from './store.js';

/** Longer than the guest's own timeout of 300 s, which TCG on a busy host can need. */
const READY_MS = 330_000;
const SETTLE_MS = 120_000;
const EXIT_MS = 10_000;

export interface BuildOptions {
  /** `background`: with the lowest CPU priority. */
  readonly priority: 'normal' | 'background';
  /** See {@link TemplateRecord}; a QEMU that cannot leave memory in a file falls back to `saved`. */
  readonly memory: TemplateRecord['memory'];
  onProgress(step: string): void;
  readonly signal?: AbortSignal | undefined;
}

/** Kills and removes an interrupted build. The caller must hold the build's lock. */
export async function removeBuild(directory: string): Promise<void> {
  const last = await readProcessRecord(directory).catch(() => undefined);
  if (last && !last.exited && (await signalProcess(last.identity, 'SIGKILL'))) {
    await waitForExit(directory, last.identity, AbortSignal.timeout(EXIT_MS));
  }
  await removeDirectory(directory);
}

/**
 * Boots a guest without an owner in `directory`, waits until its desktop is idle and saves it. The
 * directory then holds the disk's layers, the memory and the device state, all owned by the service.
 */
export async function buildTemplate(
  host: QemuHost,
  directory: string,
  base: Base,
  shape: Shape,
  { priority, memory: wanted, onProgress, signal }: BuildOptions,
): Promise<Pick<TemplateRecord, 'layers' | 'memory'>> {
  const workspace = { directory, account: await prepareDirectory(directory) };
  await base.link(directory);
  const created = createRecord(base, templateSpec(shape, base.image), '');
  const layer = await createTopLayer(workspace, base.layers.at(-1) ?? '', created.image.diskBytes);
  const record = { ...created, layers: [...base.layers, layer] };
  onProgress('booting');
  let memory = wanted;
  const qemu = await startQemu(host, workspace, record, {
    from: 'boot-template',
    signal,
    onSpawned: async ({ pid }) => {
      if (priority === 'background') await lowerPriority(pid);
    },
  });
  try {
    const { guest } = await host.network();
    const identity = guestIdentity(record, guest);
    await withAgent(
      workspace,
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
    if (!(await supportsMappedMemory(qemu))) memory = 'saved';
    await savePaused(qemu, {
      path: join(directory, FILES.state),
      memory: memory === 'saved' ? shape.ram * 2 ** 30 : 'mapped',
      signal,
    });
  } finally {
    await qemu.end(0);
  }
  await takeOwnership(directory, [
    ...record.layers,
    FILES.kernel,
    FILES.initrd,
    FILES.state,
    ...(memory === 'mapped' ? [FILES.memory] : []),
  ]);
  return { layers: record.layers, memory };
}

/** Removes all other files, makes the service the owner of `keep` and flushes them to disk. */
async function takeOwnership(directory: string, keep: readonly string[]): Promise<void> {
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

/** It has no owner and no login: the private key is discarded. */
function templateSpec(shape: Shape, image: Base['image']) {
  return {
    id: 'template',
    ownerId: '',
    projectId: '',
    gpu: 'none',
    os: image.os,
    image: shape.image,
    cpu: shape.cpu,
    ram: shape.ram,
    resolution: shape.resolution,
    authorizedKey: generateKeyPair().publicKey,
    hostName: 'vc-template',
  };
}

/** For each thread of a process; later threads inherit the priority. */
async function lowerPriority(pid: number): Promise<void> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  for (const thread of threads) {
    try {
      setPriority(Number(thread), 19);
    } catch {
      // The thread has exited.
    }
  }
}
