import type { TestProject } from 'vitest/node';
import { openTestPodman } from '../../support/podman/engine.js';
import { forgetRequests } from '../../support/service/requests/requests.js';
import { provideSharedService } from '../../support/service/shared.js';

/** An address without a Docker Engine: the tests on Podman must not need one. */
const NO_DOCKER = 'unix:///nonexistent/docker.sock';

declare module 'vitest' {
  interface ProvidedContext {
    /** How to run a service on the Podman of the tests. */
    podman: {
      readonly prefix: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** A process in the network of its containers. */
      readonly pid: number;
    };
  }
}

/** Makes namespaces for a Podman of the tests' own, with the Linux image, and the shared service. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  forgetRequests('podman');
  const podman = await openTestPodman((line) => process.stderr.write(`${line}\n`));
  const { prefix, env, pid } = podman;
  project.provide('engine', 'podman');
  project.provide('podman', { prefix, env, pid });
  project.provide('clusterState', '');
  project.provide('dockerHost', NO_DOCKER);
  project.provide('dockerPid', 0);
  project.provide('qemuSeed', '');
  const close = await provideSharedService(project, {
    engine: 'podman',
    podman: { prefix, env, pid },
    dockerHost: NO_DOCKER,
    qemuSeed: '',
  });
  return async () => {
    await close();
    await podman.close();
  };
}
