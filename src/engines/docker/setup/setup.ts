import type { EngineSetup } from '../../descriptor.js';
import { isInGroup } from '../../local-host.js';
import { dockerDaemon } from './daemon.js';

export const dockerSetup: EngineSetup = {
  packages: [
    { sign: 'dockerd', name: 'docker.io', purpose: 'runs the computers' },
    { sign: 'iptables', name: 'iptables', purpose: "Docker's networks" },
  ],
  daemon: dockerDaemon,
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
