import type { TestProject } from 'vitest/node';
import { openTestDocker } from '../../support/docker/engine.js';
import { forgetRequests } from '../../support/service/requests.js';
import type { ServiceAddress } from '../../support/service/service.js';
import { provideSharedService } from '../../support/service/shared.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The engine that the tests of this run are about. */
    engine: 'docker' | 'qemu';
    /** Value of DOCKER_HOST for the Engine that the tests use. */
    dockerHost: string;
    /** Process id of the Engine when the tests started it, else 0. */
    dockerPid: number;
    /** State directory whose images and templates every service of a QEMU run starts with. */
    qemuSeed: string;
    /** The service of every file that does not need its own. */
    sharedService: ServiceAddress;
  }
}

/** Starts a Docker Engine of the tests' own with the Linux image in it, and the shared service. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  forgetRequests('docker');
  const docker = await openTestDocker((line) => process.stderr.write(`${line}\n`));
  const engine = { engine: 'docker', dockerHost: docker.host, qemuSeed: '' } as const;
  project.provide('engine', 'docker');
  project.provide('dockerHost', docker.host);
  project.provide('dockerPid', docker.pid);
  project.provide('qemuSeed', '');
  const close = await provideSharedService(project, engine);
  return async () => {
    await close();
    await docker.close();
  };
}
