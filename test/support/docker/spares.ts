import type Docker from 'dockerode';
import { inject } from 'vitest';
import { LABEL } from '../../../src/engines/containers/ids.js';
import { connectDocker } from '../../../src/engines/docker/client.js';
import { eventually } from '../eventually.js';
import { outOfBand } from '../service/out-of-band.js';
import type { TestService } from '../service/service.js';

/** Time limit for a new warm machine, on a busy host. */
const READY_MS = 120_000;

/** Containers of the service that were made for the warm pool, whether a computer has one or not. */
export async function spares(
  docker: Docker,
  service: TestService,
): Promise<Docker.ContainerInfo[]> {
  const { machines } = await outOfBand(service).leftovers();
  const all = await docker.listContainers({ all: true, filters: { label: [LABEL.spare] } });
  return all.filter(({ Names }) => Names.some((name) => machines.includes(name)));
}

/** Waits until a warm machine can be claimed. */
export async function readySpare(service: TestService) {
  const docker = connectDocker({ socketPath: inject('dockerHost').replace('unix://', '') });
  const spare = await eventually(
    async () => (await spares(docker, service)).find(({ State }) => State === 'paused'),
    READY_MS,
  );
  return { docker, spare };
}
