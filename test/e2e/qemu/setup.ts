import type { TestProject } from 'vitest/node';
import { prepareQemuSeed } from '../../support/qemu/seed.js';
import { forgetRequests } from '../../support/service/requests/requests.js';
import { provideSharedService } from '../../support/service/shared.js';

/** An address without a Docker Engine: the tests on QEMU must not need one. */
const NO_DOCKER = 'unix:///nonexistent/docker.sock';

/** Builds the Linux image for QEMU and a template, or uses cached ones; starts the shared service. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  forgetRequests('qemu');
  const qemuSeed = await prepareQemuSeed((line) => process.stderr.write(`${line}\n`));
  project.provide('engine', 'qemu');
  project.provide('clusterState', '');
  project.provide('dockerHost', NO_DOCKER);
  project.provide('dockerPid', 0);
  project.provide('qemuSeed', qemuSeed);
  return provideSharedService(project, { engine: 'qemu', dockerHost: NO_DOCKER, qemuSeed });
}
