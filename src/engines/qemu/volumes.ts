import { ApiError } from '../../contract/errors.js';
import type { MachineVolume } from '../engine.js';
import { USER_IDS } from '../user-ids.js';
import { VolumeDirectories } from '../volumes/directories.js';
import type { QemuHost } from './host.js';
import type { Layout } from './layout.js';
import { findVolumeServer, type ServedVolumes } from './process/volume-server.js';

/** The guest's user; its files have the id that follows the first of the volumes by as much. */
const GUEST_USER = 1000;

/**
 * Creates a volume, whose files have ids that no user or machine has: to those that the guests see, the
 * first id of the volumes is added. Idempotent. Throws `unsupported` where machines could not mount it.
 */
export async function createVolume(host: QemuHost, id: string): Promise<void> {
  const reason =
    process.getuid?.() !== 0
      ? 'the service is not root'
      : (await host.network()).mode === 'restricted'
        ? 'the host allows no namespaces'
        : undefined;
  if (reason !== undefined) {
    const message = `There are no volumes on QEMU here: ${reason}.`;
    throw new ApiError('unsupported', message, { remedy: 'Run the service as root.' });
  }
  await volumeServer();
  await new VolumeDirectories(host.layout.volumes)
    .create(id, USER_IDS.volumes.first + GUEST_USER)
    .catch((cause) => {
      if (cause.code !== 'EINVAL') throw cause;
      const message = 'The ids of the volumes are not mapped in the user namespace of the service.';
      throw new ApiError('unsupported', message, { cause });
    });
}

/** What a machine's QEMU needs for its volumes; undefined for none. Throws `conflict` if files are lost. */
export async function servedVolumes(
  layout: Pick<Layout, 'volumes'>,
  volumes: readonly MachineVolume[] = [],
): Promise<ServedVolumes | undefined> {
  if (volumes.length === 0) return undefined;
  const directories = new VolumeDirectories(layout.volumes);
  for (const { id } of volumes) await directories.check(id);
  return {
    server: await volumeServer(),
    volumes: volumes.map(({ id, readOnly }) => ({ id, readOnly, files: directories.files(id) })),
  };
}

async function volumeServer(): Promise<string> {
  const server = await findVolumeServer();
  if (server !== undefined) return server;
  throw new ApiError('unsupported', 'Volumes on QEMU need virtiofsd, which is not installed.', {
    remedy: 'Install the package virtiofsd.',
  });
}
