import type { TestProject } from 'vitest/node';
import { openTestDocker } from '../support/docker.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Value of DOCKER_HOST for the Engine that the tests use. */
    dockerHost: string;
    /** Process id of the Engine when the tests started it, else 0. */
    dockerPid: number;
  }
}

/** Starts a Docker Engine of the tests' own with the Linux image in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const docker = await openTestDocker((line) => process.stderr.write(`${line}\n`));
  project.provide('dockerHost', docker.host);
  project.provide('dockerPid', docker.pid);
  return docker.close;
}
