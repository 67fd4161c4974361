import type { TestProject } from 'vitest/node';
import { prepareQemuSeed } from '../../support/qemu-seed.js';
import { forgetRequests } from '../../support/requests.js';

/** Where no Docker Engine is: what runs on QEMU must not need one. */
const NO_DOCKER = 'unix:///nonexistent/docker.sock';

/** Builds the Linux image for QEMU and boots one template of it, unless the cache has both. */
export default async function setup(project: TestProject): Promise<void> {
  forgetRequests('qemu');
  project.provide('engine', 'qemu');
  project.provide('dockerHost', NO_DOCKER);
  project.provide('dockerPid', 0);
  project.provide('qemuSeed', await prepareQemuSeed((line) => process.stderr.write(`${line}\n`)));
}
