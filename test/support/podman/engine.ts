import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { defaultCacheDirectory } from '../../../src/images/cache.js';
import { VC } from '../service/service.js';

/** A Podman of the tests' own: storage, networks and ranges of ids of the host are not touched. */
export interface TestPodman {
  /** The process whose namespaces it runs in. */
  readonly pid: number;
  /** Runs a program in the file systems that Podman sees, and in the host's network. */
  readonly prefix: readonly string[];
  /** Variables for that program. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Exit code of flock when another run of the tests holds the lock. */
const IN_USE = 75;

/** Makes the namespaces of {@link openTestPodman}. */
const NAMESPACES = new URL('namespaces.sh', import.meta.url).pathname;

export async function openTestPodman(say: (line: string) => void): Promise<TestPodman> {
  if (process.getuid?.() !== 0) throw new Error('Run the tests on Podman as root.');
  const data = join(defaultCacheDirectory(), 'test-podman');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const directory = mkdtempSync(join(tmpdir(), 'vc-e2e-podman-'));
  const holder = spawn(
    'flock',
    [
      // The lock is released when this process ends.
      ...['--nonblock', '--no-fork', '--conflict-exit-code', `${IN_USE}`, `${data}.lock`],
      ...['setpriv', '--pdeathsig', 'KILL', 'unshare', '--net', '--mount'],
      ...['--propagation', 'private', 'sh', NAMESPACES, data],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await untilReady(holder);
  const pid = holder.pid ?? 0;
  // The service runs in the host's network, where the tests reach it, and its Podman does not.
  const wrapper = join(directory, 'podman');
  writeFileSync(
    wrapper,
    `#!/bin/sh\nunset CONTAINER_HOST\nexec nsenter -t ${pid} -n -m /usr/bin/podman "$@"\n`,
  );
  chmodSync(wrapper, 0o755);
  const prefix = ['nsenter', '-t', `${pid}`, '-m'];
  const env = { PATH: `${directory}:${process.env.PATH}:/usr/sbin:/sbin` };
  const podman = async (...args: string[]) => {
    await execa(wrapper, ['--cgroup-manager', 'cgroupfs', ...args], {
      reject: false,
    });
  };
  const removeLeftovers = async () => {
    await podman('rm', '--all', '--force', '--time', '0');
    await podman('network', 'prune', '--force');
  };
  await removeLeftovers();
  const startedAt = Date.now();
  const [program = '', ...rest] = [...prefix, process.execPath, VC];
  await execa(program, [...rest, 'image', 'build', 'linux', '--engine', 'podman'], {
    env: {
      ...env,
      CONTAINER_HOST: '',
      VC_STATE_DIR: join(directory, 'state'),
      VC_CONFIG_DIR: directory,
    },
  });
  say(`podman: image ready after ${Math.round((Date.now() - startedAt) / 1000)} s`);
  return {
    pid,
    prefix,
    env,
    close: async () => {
      await removeLeftovers();
      const ended = once(holder, 'exit');
      holder.kill('SIGKILL');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function untilReady(holder: ChildProcess): Promise<void> {
  const { stdout } = holder;
  if (stdout === null) throw new Error('the output is not a pipe');
  const ready = once(createInterface({ input: stdout }), 'line');
  const ended = once(holder, 'exit').then(([code]) => {
    throw new Error(
      code === IN_USE
        ? 'Another run of the tests uses their Podman; wait for it, or set VC_TEST_CACHE_DIR.'
        : `the namespaces for Podman cannot be made: exit code ${code}`,
    );
  });
  await Promise.race([ready, ended]);
}
