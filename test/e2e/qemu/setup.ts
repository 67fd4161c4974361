import type { TestProject } from 'vitest/node';
import { prepareQemuSeed } from '../../support/qemu/seed.js';
import { forgetRequests } from '../../support/service/requests.js';
import { provideSharedService } from '../../support/service/shared.js';

/** Where no Docker Engine is: what runs on QEMU must not need one. */
const NO_DOCKER = 'unix:///nonexistent/docker.sock';

/** Builds the Linux image for QEMU and a template, unless the cache has both; starts the service. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  forgetRequests('qemu');
  const qemuSeed = await prepareQemuSeed((line) => process.stderr.write(`${line}\n`));
  project.provide('engine', 'qemu');
  project.provide('dockerHost', NO_DOCKER);
  project.provide('dockerPid', 0);
  project.provide('qemuSeed', qemuSeed);
  return provideSharedService(project, { engine: 'qemu', dockerHost: NO_DOCKER, qemuSeed });
}
