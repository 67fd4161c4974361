import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { defaultCacheDirectory } from '../../../src/images/cache.js';
import { openTestCluster, type TestCluster } from '../../support/incus/cluster.js';
import { buildClusterImage } from '../../support/incus/image.js';
import { NoServer } from '../../support/incus/member.js';
import { server } from '../../support/incus/server.js';
import { forgetRequests } from '../../support/service/requests/requests.js';
import { provideSharedService } from '../../support/service/shared.js';

/** An address without a Docker Engine: the tests on a cluster must not need one. */
const NO_DOCKER = 'unix:///nonexistent/docker.sock';

declare module 'vitest' {
  interface ProvidedContext {
    /** State directory with the settings of the test cluster; empty without one. */
    clusterState: string;
    /** Why this host has no server of LXD or Incus: the tests are skipped. Empty if it has one. */
    noCluster: string;
    /** A process in the network of the test cluster; 0 without one. */
    clusterPid: number;
    /** What went wrong with the server running: the tests fail. */
    clusterFault: string;
  }
}

/** Starts a cluster of one with the Linux image, and the shared service. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const say = (line: string) => process.stderr.write(`incus: ${line}\n`);
  forgetRequests('incus');
  project.provide('engine', 'incus');
  project.provide('dockerHost', NO_DOCKER);
  project.provide('dockerPid', 0);
  project.provide('qemuSeed', '');
  // Its data is in the cache, so the image is imported once.
  const data = join(defaultCacheDirectory(), `test-${server.name}`);
  const clusterState = mkdtempSync(join(tmpdir(), 'vc-e2e-incus-'));
  const remove = () => rmSync(clusterState, { recursive: true, force: true });
  let cluster: TestCluster | undefined;
  try {
    cluster = await openTestCluster(data);
    await cluster.setUp(clusterState);
    await buildClusterImage(clusterState, say);
  } catch (error) {
    await cluster?.close();
    remove();
    return withoutCluster(project, error, say);
  }
  const open = cluster;
  project.provide('noCluster', '');
  project.provide('clusterFault', '');
  project.provide('clusterState', clusterState);
  project.provide('clusterPid', open.pid);
  const engine = { engine: 'incus', dockerHost: NO_DOCKER, qemuSeed: '', clusterState } as const;
  const closeService = await provideSharedService(project, engine);
  return async () => {
    await closeService();
    await open.close();
    remove();
  };
}

/** The tests are skipped only where the server is not installed or does not start; else they fail. */
async function withoutCluster(
  project: TestProject,
  error: unknown,
  say: (line: string) => void,
): Promise<() => Promise<void>> {
  const message = error instanceof Error ? error.message : String(error);
  const isSkipped = error instanceof NoServer;
  say(`${isSkipped ? 'skipped' : 'failed'}: ${message}`);
  project.provide('noCluster', isSkipped ? (`no cluster: ${message}`.split('\n')[0] ?? '') : '');
  project.provide('clusterFault', isSkipped ? '' : message);
  project.provide('clusterState', '');
  project.provide('clusterPid', 0);
  // Files connect to it when they are loaded, before they are skipped.
  const nobody = { baseUrl: 'http://127.0.0.1:9/api', apiKey: 'none', logFile: '', pageOrigin: '' };
  project.provide('sharedService', nobody);
  return async () => undefined;
}
