import { canAccess } from '../../lib/fs/access.js';
import { openContainers } from '../containers/open.js';
import type { ServiceSettings } from '../descriptor.js';
import type { Engine, Probe } from '../engine.js';
import { connectPodman } from './client.js';
import { filesWithoutRange, hasPrivateMounts } from './setup.js';

/** The engine of a service; without a service it can only list images. */
export async function openPodman(
  stateDirectory: string,
  service: ServiceSettings | undefined,
): Promise<Engine> {
  const engine = await openContainers(connectPodman(stateDirectory), stateDirectory, service);
  return { ...engine, probe: async (signal) => (await obstacle()) ?? engine.probe(signal) };
}

/** Why no container can run here; asked before Podman's service is started. */
export async function obstacle(): Promise<Probe | undefined> {
  const unusable = (reason: string, remedy: string): Probe => ({ usable: false, reason, remedy });
  if (!(await canAccess('/usr/bin/podman'))) {
    return unusable('Podman is not installed', 'vc setup --engine podman');
  }
  if (process.getuid?.() !== 0) {
    // Without root there are no bridges and no rules to keep computers off the host's networks.
    return unusable('Podman is used as root only', 'sudo vc serve --engine podman');
  }
  const [file] = await filesWithoutRange();
  if (file !== undefined) {
    return unusable(`${file} has no range of ids for containers`, 'vc setup --engine podman');
  }
  if (await hasPrivateMounts()) {
    return unusable('the mounts of this host are private', 'vc setup --engine podman');
  }
  return undefined;
}
