import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import type { ServiceSettings } from '../descriptor.js';
import type { Engine } from '../engine.js';
import { createContainerEngine } from './engine.js';

const NO_SERVICE = {
  ...{ serviceId: 'command-line', allowNetworks: [], internet: true },
  networks: () => new Map(),
};

/** The engine of a service; without a service it can only list images. */
export async function openContainers(
  docker: Docker,
  stateDirectory: string,
  service: ServiceSettings | undefined,
): Promise<Engine> {
  const { serviceId, internet, allowNetworks, networks } = service ?? NO_SERVICE;
  const directory = service ? join(stateDirectory, 'machines') : join(tmpdir(), 'vc-command-line');
  if (service) await mkdir(directory, { recursive: true, mode: 0o700 });
  const allowSudo = service?.options['no-sudo'] !== true;
  const size = Number(service?.options.spares ?? 0);
  return createContainerEngine({
    docker,
    serviceId,
    directory,
    allowSudo,
    internet,
    allowNetworks,
    networks,
    ...(service && {
      onProblem: service.onProblem,
      pool: { size, ...service },
    }),
  });
}
