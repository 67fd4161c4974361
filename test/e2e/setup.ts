import type { TestProject } from 'vitest/node';
import { openTestDocker } from '../support/docker.js';
import { forgetRequests } from '../support/requests.js';

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
  }
}

/** Starts a Docker Engine of the tests' own with the Linux image in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  forgetRequests('docker');
  const docker = await openTestDocker((line) => process.stderr.write(`${line}\n`));
  project.provide('engine', 'docker');
  project.provide('dockerHost', docker.host);
  project.provide('dockerPid', docker.pid);
  project.provide('qemuSeed', '');
  return docker.close;
}
