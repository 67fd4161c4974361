import { canAccess } from '../../../lib/fs/access.js';
import type { EngineDaemon, EngineSetup, Environment, SetupStep } from '../../descriptor.js';
import { runsSystemd } from '../../local-host.js';
import { openIncus } from '../open.js';
import { readSettings } from '../settings.js';
import { configureCluster } from './configure.js';
import { openAsOperator, serverSocket } from './operator.js';

/** Where the packages of Debian and of the project itself install the server of Incus. */
const INCUS_DAEMONS = ['/usr/libexec/incus/incusd', '/opt/incus/bin/incusd'] as const;

const daemon: EngineDaemon = {
  isRunning: async (env) => (await serverSocket(env)) !== undefined,
  starters,
  log: async () => {
    const { name, log } = await server();
    return (await runsSystemd()) ? `journalctl -u ${name}` : log;
  },
};

export const incusSetup: EngineSetup = {
  packages: [
    // A host that has Incus keeps it.
    { sign: ['lxd', ...INCUS_DAEMONS], name: 'lxd', purpose: 'runs the computers' },
    { sign: ['lxc', 'incus'], name: 'lxd-client', purpose: 'manages the cluster' },
    { sign: 'lxcfs', name: 'lxcfs', purpose: 'shows containers their own limits' },
    { sign: 'dnsmasq', name: 'dnsmasq-base', purpose: 'name service of the network' },
    { sign: 'nft', name: 'nftables', purpose: 'firewall rules of the network' },
    { sign: 'mkfs.btrfs', name: 'btrfs-progs', purpose: 'storage for the computers' },
    { sign: 'openssl', name: 'openssl', purpose: 'makes the certificate of the service' },
  ],
  daemon,
  removal: {
    // Other hosts and services may use its project, network and storage as well.
    usedBy: async (stateDirectory) =>
      (await readSettings(stateDirectory).catch(() => undefined)) === undefined
        ? undefined
        : 'the cluster, which keeps what vc made in it; see docs/cluster.md',
  },
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
  const { name, title, program, log } = await server();
  if (await runsSystemd()) {
    const argv = ['systemctl', 'enable', '--now', name] as const;
    return [{ title: `Starting ${title} with systemd`, argv }];
  }
  if (await canAccess(`/etc/init.d/${name}`)) {
    const argv = ['service', name, 'start'] as const;
    return [{ title: `Starting ${title} with its service`, argv }];
  }
  // A constant script, without user input.
  const script = `umask 077; setsid ${program} >>${log} 2>&1 </dev/null &`;
  return [
    { title: `Starting ${title} in the background (log: ${log})`, argv: ['sh', '-c', script] },
  ];
}

interface Server {
  /** Of its service. */
  readonly name: string;
  readonly title: string;
  readonly program: string;
  readonly log: string;
}

const LXD: Server = {
  name: 'lxd',
  title: 'LXD',
  program: 'lxd --group lxd',
  log: '/var/log/lxd.log',
};

/** The server of this host: Incus if it is installed, else LXD. */
async function server(): Promise<Server> {
  for (const path of INCUS_DAEMONS) {
    if (!(await canAccess(path))) continue;
    const program = `${path} --group incus-admin`;
    return { name: 'incus', title: 'Incus', program, log: '/var/log/incus.log' };
  }
  return LXD;
}
