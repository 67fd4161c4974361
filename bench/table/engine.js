import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';

const START_MS = 60_000;
const STOP_MS = 30_000;
/** Exit code of flock when another benchmark holds the lock. */
const IN_USE = 75;

/**
 * With the lock. Containers are left only by a benchmark that was interrupted, or whose Engine failed;
 * some make an Engine panic when it starts.
 */
const START = 'ip link set lo up && rm -rf "$0/containers" "$0/network" && exec dockerd "$@"';

/**
 * A Docker Engine for a benchmark, with its own socket, data and network namespace, as the tests have
 * one: nothing else on the host is touched. Requires root. Its data stays in the cache, so an image is
 * imported once.
 */
export async function startEngine(name) {
  if (process.getuid?.() !== 0) throw new Error('run the benchmark as root');
  const cache = process.env.VC_CACHE_DIR ?? join(homedir(), '.cache', 'vc');
  const data = join(resolve(cache), name);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const directory = mkdtempSync(join(tmpdir(), 'vc-bench-docker-'));
  const socketPath = join(directory, 'docker.sock');
  const log = openSync(join(directory, 'dockerd.log'), 'w');
  const words = [
    ...['--nonblock', '--no-fork', '--conflict-exit-code', `${IN_USE}`, `${data}.lock`],
    ...['setpriv', '--pdeathsig', 'TERM', 'unshare', '--net', '--mount'],
    ...['sh', '-c', START, data],
    ...['--host', `unix://${socketPath}`, '--data-root', data, '--bridge', 'none'],
    ...['--exec-root', join(directory, 'exec'), '--pidfile', join(directory, 'dockerd.pid')],
  ];
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  const child = spawn('flock', words, { stdio: ['ignore', log, log], env });
  closeSync(log);
  const ended = new Promise((done) => child.once('exit', done));
  const docker = new Docker({ socketPath });
  for (const end = Date.now() + START_MS; ; await sleep(100)) {
    if (await docker.ping().catch(() => undefined)) break;
    if (child.exitCode === IN_USE) throw new Error(`another benchmark uses ${data}`);
    if (child.exitCode !== null || Date.now() > end) {
      throw new Error(`dockerd did not start; see ${directory}/dockerd.log`);
    }
  }
  const clean = async () => {
    for (const { Id } of await docker.listContainers({ all: true })) {
      await docker.getContainer(Id).remove({ force: true, v: true });
    }
    await docker.pruneNetworks();
  };
  const stop = async () => {
    await clean().catch((error) => console.error(error));
    child.kill('SIGTERM');
    await Promise.race([ended, sleep(STOP_MS, undefined, { ref: false })]);
    if (child.exitCode === null) child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  };
  return { docker, host: `unix://${socketPath}`, pid: child.pid, stop };
}
