import { canAccess } from '../../../lib/fs/access.js';
import type { EngineDaemon, EngineSetup, Environment, SetupStep } from '../../descriptor.js';
import { runsSystemd } from '../../local-host.js';
import { openIncus } from '../open.js';
import { configureCluster } from './configure.js';
import { openAsOperator, serverSocket } from './operator.js';

const LOG = '/var/log/lxd.log';

const daemon: EngineDaemon = {
  isRunning: async (env) => (await serverSocket(env)) !== undefined,
  starters,
  log: async () => ((await runsSystemd()) ? 'journalctl -u lxd' : LOG),
};

export const incusSetup: EngineSetup = {
  packages: [
    { sign: 'lxd', name: 'lxd', purpose: 'runs the computers' },
    { sign: 'lxc', name: 'lxd-client', purpose: 'manages the cluster' },
    { sign: 'lxcfs', name: 'lxcfs', purpose: 'shows containers their own limits' },
    { sign: 'dnsmasq', name: 'dnsmasq-base', purpose: 'name service of the network' },
    { sign: 'nft', name: 'nftables', purpose: 'firewall rules of the network' },
    { sign: 'mkfs.btrfs', name: 'btrfs-progs', purpose: 'storage for the computers' },
    { sign: 'openssl', name: 'openssl', purpose: 'makes the certificate of the service' },
  ],
  daemon,
  grants: async () => [],
  configuration: {
    isDone: async (stateDirectory) => {
      const engine = await openIncus(stateDirectory, undefined);
      try {
        return (await engine.probe()).usable;
      } finally {
        await engine.close?.();
      }
    },
    run: async (stateDirectory, env: Environment, work) => {
      const cluster = await openAsOperator(env);
      try {
        await configureCluster(cluster, { stateDirectory, poolDriver: 'btrfs', ...work });
      } finally {
        await cluster.close();
      }
    },
  },
};

async function starters(): Promise<SetupStep[]> {
  if (await runsSystemd()) {
    const argv = ['systemctl', 'enable', '--now', 'lxd'] as const;
    return [{ title: 'Starting LXD with systemd', argv }];
  }
  if (await canAccess('/etc/init.d/lxd')) {
    return [{ title: 'Starting LXD with its service', argv: ['service', 'lxd', 'start'] }];
  }
  // A constant script, without user input.
  const script = `umask 077; setsid lxd --group lxd >>${LOG} 2>&1 </dev/null &`;
  return [{ title: `Starting lxd in the background (log: ${LOG})`, argv: ['sh', '-c', script] }];
}
