import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from './run-program.js';

const NAMESPACES = new URL('../../test/support/podman/namespaces.sh', import.meta.url).pathname;

/**
 * A Podman for a benchmark, with its own storage, networks and ranges of ids, as the tests have one:
 * nothing else on the host is touched. Requires root. Its storage stays in the cache, so an image is
 * imported once. Services on it are started with `prefix` and `env`.
 */
export async function startPodman(name) {
  if (process.getuid?.() !== 0) throw new Error('run the benchmark as root');
  const cache = process.env.VC_CACHE_DIR ?? join(homedir(), '.cache', 'vc');
  const data = join(resolve(cache), name);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const directory = mkdtempSync(join(tmpdir(), 'vc-bench-podman-'));
  const words = [
    ...['--nonblock', '--no-fork', `${data}.lock`, 'setpriv', '--pdeathsig', 'KILL'],
    ...['unshare', '--net', '--mount', '--propagation', 'private', 'sh', NAMESPACES, data],
  ];
  const holder = spawn('flock', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(holder, 'exit');
  const failed = ended.then(() => Promise.reject(new Error(`another benchmark uses ${data}`)));
  await Promise.race([once(holder.stdout, 'data'), failed]);
  failed.catch(() => undefined);
  const program = join(directory, 'podman');
  writeFileSync(program, `#!/bin/sh\nexec nsenter -t ${holder.pid} -n -m /usr/bin/podman "$@"\n`);
  chmodSync(program, 0o755);
  const clean = async () => {
    const podman = [program, '--cgroup-manager', 'cgroupfs'];
    await run([...podman, 'rm', '--all', '--force', '--time', '0']);
    await run([...podman, 'network', 'prune', '--force']);
  };
  await clean();
  const stop = async () => {
    await clean().catch((error) => console.error(error));
    holder.kill('SIGKILL');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  const path = `${directory}:${process.env.PATH}:/usr/sbin:/sbin`;
  return { prefix: ['nsenter', '-t', `${holder.pid}`, '-m'], env: { PATH: path }, stop };
}
