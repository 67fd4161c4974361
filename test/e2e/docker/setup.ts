import type { TestProject } from 'vitest/node';
import { openTestDocker } from '../../support/docker/engine.js';
import { forgetRequests } from '../../support/service/requests/requests.js';
import type { ServiceAddress } from '../../support/service/service.js';
import { provideSharedService } from '../../support/service/shared.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The engine under test. */
    engine: 'docker' | 'podman' | 'qemu' | 'incus';
    /** Value of DOCKER_HOST for the Engine that the tests use. */
    dockerHost: string;
    /** Process id of the Engine if the tests started it, else 0. */
    dockerPid: number;
    /** State directory with the images and templates for all services of a QEMU run. */
    qemuSeed: string;
    /** The service for all files that do not start their own. */
    sharedService: ServiceAddress;
  }
}

/** Starts a private Docker Engine with the Linux image, and the shared service. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  forgetRequests('docker');
  const docker = await openTestDocker((line) => process.stderr.write(`${line}\n`));
  const engine = { engine: 'docker', dockerHost: docker.host, qemuSeed: '' } as const;
  project.provide('engine', 'docker');
  project.provide('clusterState', '');
  project.provide('dockerHost', docker.host);
  project.provide('dockerPid', docker.pid);
  project.provide('qemuSeed', '');
  const close = await provideSharedService(project, engine);
  return async () => {
    await close();
    await docker.close();
  };
}
