import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { buildImage } from '../../../src/engines/containers/images/build.js';
import { connectDocker } from '../../../src/engines/docker/client.js';
import { defaultCacheDirectory } from '../../../src/images/cache.js';

export interface TestDocker {
  readonly host: string;
  /** Process id of the Engine if the tests started it, else 0. */
  readonly pid: number;
  readonly close: () => Promise<void>;
}

const START_MS = 60_000;
/** Exit code of flock when another run of the tests holds the lock. */
const IN_USE = 75;

/**
 * The Engine for the tests: as root a private one with its own socket, data and network namespace,
 * so that nothing else on the host is touched; otherwise the one in `VC_TEST_DOCKER_HOST`. Its data
 * is in the cache, so the image is imported once.
 */
export async function openTestDocker(say: (line: string) => void): Promise<TestDocker> {
  const configured = process.env.VC_TEST_DOCKER_HOST;
  if (configured === undefined && process.getuid?.() !== 0) {
    throw new Error(
      'Set VC_TEST_DOCKER_HOST to a Docker Engine for the tests, or run them as root.',
    );
  }
  const engine = configured === undefined ? await startEngine(say) : { host: configured, pid: 0 };
  const docker = connectDocker({ socketPath: engine.host.replace('unix://', '') });
  const startedAt = Date.now();
  await buildImage(docker, { name: 'linux', onProgress: () => undefined });
  say(
    `docker: image ready after ${Math.round((Date.now() - startedAt) / 1000)} s on ${engine.host}`,
  );
  return {
    host: engine.host,
    pid: engine.pid,
    close: async () => {
      if ('stop' in engine) await engine.stop();
    },
  };
}

async function startEngine(say: (line: string) => void) {
  const data = join(defaultCacheDirectory(), 'test-docker');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const directory = mkdtempSync(join(tmpdir(), 'vc-e2e-docker-'));
  const socket = join(directory, 'docker.sock');
  const log = openSync(join(directory, 'dockerd.log'), 'w');
  say(`docker: starting dockerd, its data in ${data}`);
  const child = spawn(
    'flock',
    [
      // Two Engines would destroy each other's data. The lock is released when this process ends.
      ...['--nonblock', '--no-fork', '--conflict-exit-code', `${IN_USE}`, `${data}.lock`],
      ...['setpriv', '--pdeathsig', 'TERM', 'unshare'],
      '--net',
      '--mount',
      'sh',
      '-c',
      'ip link set lo up && exec dockerd "$@"',
      'dockerd',
      ...['--host', `unix://${socket}`],
      ...['--data-root', data],
      ...['--exec-root', join(directory, 'exec')],
      ...['--pidfile', join(directory, 'dockerd.pid')],
      ...['--bridge', 'none'],
    ],
    { stdio: ['ignore', log, log], env: withSystemPath() },
  );
  const docker = connectDocker({ socketPath: socket });
  await answering(docker, child, join(directory, 'dockerd.log'));
  await removeLeftovers(docker);
  const stop = async () => {
    await removeLeftovers(docker);
    child.kill('SIGTERM');
    await Promise.race([
      new Promise((resolve) => child.once('exit', resolve)),
      sleep(15_000, undefined, { ref: false }),
    ]);
    if (child.exitCode === null) child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  };
  return { host: `unix://${socket}`, pid: child.pid ?? 0, stop };
}

async function answering(docker: Docker, child: ChildProcess, log: string): Promise<void> {
  for (const end = Date.now() + START_MS; ; ) {
    try {
      await docker.ping();
      return;
    } catch (cause) {
      if (child.exitCode === IN_USE) {
        throw new Error(
          'Another run of the tests uses their Docker Engine; wait for it, or set VC_TEST_CACHE_DIR.',
        );
      }
      if (child.exitCode !== null || Date.now() > end) {
        throw new Error(`dockerd did not start; see ${log}`, { cause });
      }
      await sleep(100);
    }
  }
}

/** Removes containers and networks of an aborted run. The Engine is private to the tests. */
async function removeLeftovers(docker: Docker): Promise<void> {
  for (const { Id } of await docker.listContainers({ all: true })) {
    await docker.getContainer(Id).remove({ force: true, v: true });
  }
  await docker.pruneNetworks();
}

function withSystemPath(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
}
