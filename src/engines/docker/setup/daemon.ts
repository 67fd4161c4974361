import { canAccess } from '../../../lib/fs/access.js';
import type { EngineDaemon, SetupStep } from '../../descriptor.js';
import { runsSystemd } from '../../local-host.js';
import { dockerSocket, pingDocker } from './ping.js';

const LOG = '/var/log/dockerd.log';

export const dockerDaemon: EngineDaemon = {
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
