import { request } from 'node:http';
import { canAccess } from '../../lib/fs/access.js';
import { containerRemoval } from '../containers/removal.js';
import type { EngineDaemon, EngineSetup, Environment, SetupStep } from '../descriptor.js';
import { isInGroup, runsSystemd } from '../local-host.js';

const LOG = '/var/log/dockerd.log';

const dockerDaemon: EngineDaemon = {
  isRunning: async (env, signal) => {
    const socket = dockerSocket(env);
    return socket === undefined || (await pingDocker(socket, signal)) !== 'silent';
  },
  starters,
  log: async () => ((await runsSystemd()) ? 'journalctl -u docker' : LOG),
};

async function starters(): Promise<SetupStep[]> {
  const steps: SetupStep[] = [];
  if (await runsSystemd()) {
    const argv = ['systemctl', 'enable', '--now', 'docker'] as const;
    steps.push({ title: 'Starting Docker with systemd', argv });
  } else if (await canAccess('/etc/init.d/docker')) {
    const argv = ['service', 'docker', 'start'] as const;
    steps.push({ title: 'Starting Docker with its service', argv });
  }
  steps.push({
    title: `Starting dockerd in the background (log: ${LOG})`,
    // A constant script, without user input.
    argv: [
      'sh',
      '-c',
      `umask 077; setsid dockerd --pidfile /run/docker.pid >>${LOG} 2>&1 </dev/null &`,
    ],
  });
  return steps;
}

const connect = async () => (await import('./client.js')).connectDocker();

export const dockerSetup: EngineSetup = {
  packages: [
    { sign: 'dockerd', name: 'docker.io', purpose: 'runs the computers' },
    { sign: 'iptables', name: 'iptables', purpose: "Docker's networks" },
  ],
  daemon: dockerDaemon,
  removal: containerRemoval(connect),
  grants: async (user) => {
    if (await isInGroup(user, 'docker')) return [];
    return [
      {
        title: `Letting ${user} use Docker, which is as good as root on this machine`,
        argv: ['usermod', '-aG', 'docker', user],
        group: 'docker',
      },
    ];
  },
};

/** The Engine's unix socket according to DOCKER_HOST; undefined for another kind of address. */
function dockerSocket(env: Environment): string | undefined {
  const host = env.DOCKER_HOST;
  if (!host) return '/var/run/docker.sock';
  return host.startsWith('unix://') ? host.slice('unix://'.length) : undefined;
}

type Ping = 'answers' | 'denied' | 'silent';

/** Whether a Docker Engine answers on the socket, and whether this user may use it. */
function pingDocker(socketPath: string, signal?: AbortSignal): Promise<Ping> {
  return new Promise((resolve) => {
    const ping = request({ socketPath, path: '/_ping', timeout: 3000, signal }, (response) => {
      response.resume();
      resolve(response.statusCode === 200 ? 'answers' : 'silent');
    });
    ping.once('timeout', () => ping.destroy());
    ping.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'EACCES' ? 'denied' : 'silent');
    });
    ping.end();
  });
}
