import { access } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../profile/index.js';
import { CliError } from '../errors.js';
import { dockerSocket, pingDocker } from './docker-ping.js';
import { runsSystemd, type Step } from './plan.js';

/** Runs one command as root; resolves to whether it succeeded. */
export type RunAsRoot = (step: Step) => Promise<boolean>;

const LOG = '/var/log/dockerd.log';

/** How dockerd can be started, in the order in which the ways are tried. */
export async function dockerStarters(): Promise<Step[]> {
  const starters: Step[] = [];
  if (await runsSystemd()) {
    starters.push({
      title: 'Starting Docker with systemd',
      argv: ['systemctl', 'enable', '--now', 'docker'],
    });
  } else if (await exists('/etc/init.d/docker')) {
    starters.push({
      title: 'Starting Docker with its service',
      argv: ['service', 'docker', 'start'],
    });
  }
  starters.push({
    title: `Starting dockerd in the background (log: ${LOG})`,
    // The line is fixed: nothing of a user's is put into it.
    argv: [
      'sh',
      '-c',
      `umask 077; setsid dockerd --pidfile /run/docker.pid >>${LOG} 2>&1 </dev/null &`,
    ],
  });
  return starters;
}

/** Tries each way until an Engine answers. Throws when none brings it up. */
export async function startDocker(
  run: RunAsRoot,
  env: Environment,
  signal: AbortSignal,
): Promise<void> {
  const starters = await dockerStarters();
  for (const [index, starter] of starters.entries()) {
    const isLast = index === starters.length - 1;
    const began = await run(starter);
    if (began && (await answers(env, isLast ? 30 : 10, signal))) return;
  }
  throw new CliError('the Docker Engine does not answer', {
    hint: `its log says why: ${(await runsSystemd()) ? 'journalctl -u docker' : LOG}`,
  });
}

/** Waits until an Engine answers, be it that this user may not speak to it yet. */
async function answers(env: Environment, seconds: number, signal: AbortSignal): Promise<boolean> {
  const socket = dockerSocket(env);
  if (socket === undefined) return false;
  for (let left = seconds * 5; left > 0; left -= 1) {
    if ((await pingDocker(socket, signal)) !== 'silent') return true;
    await sleep(200, undefined, { signal });
  }
  return false;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
