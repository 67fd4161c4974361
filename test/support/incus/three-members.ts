import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../../../src/engines/incus/client/cluster.js';
import { configureCluster } from '../../../src/engines/incus/setup/configure.js';
import { eventually } from '../eventually.js';
import { listenOn } from './cluster.js';
import {
  ip,
  type MemberOptions,
  networkOf,
  openMember,
  removeControlGroups,
  type TestMember,
} from './member.js';
import { server, serverEnvironment } from './server.js';

/** The network between this host and the members. */
const NETWORK = '10.80.0';
const HOST = `${NETWORK}.254`;
/** Name of this host's interface to the members. */
const LINK = 'vctestcluster';
export const MEMBERS = ['m1', 'm2', 'm3'] as const;
export type MemberName = (typeof MEMBERS)[number];

export interface ThreeMembers {
  /** As the operator, through the first member. */
  readonly operator: Cluster;
  /** Gives a state directory access, as `vc setup` does. */
  setUp(stateDirectory: string): Promise<void>;
  /** As a power failure does; its containers are stopped. */
  kill(name: MemberName): Promise<void>;
  restart(name: MemberName): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a new cluster of three members on this host, with its data in `directory`. They are connected
 * by a bridge in a network namespace of its own, which the firewall rules of this host do not concern.
 */
export async function openThreeMembers(directory: string): Promise<ThreeMembers> {
  const bridge = await openBridge();
  const members = new Map<MemberName, TestMember>();
  const open = async (name: MemberName) => {
    members.set(name, await openMember(optionsOf(directory, name, bridge)));
  };
  const close = async () => {
    for (const member of members.values()) await member.close();
    bridge.kill('SIGKILL');
    removeControlGroups();
  };
  const operatorOf = (name: MemberName): Cluster => {
    const member = members.get(name);
    if (member === undefined) throw new Error(`the member ${name} does not run`);
    return member.operator;
  };
  try {
    for (const name of MEMBERS) await open(name);
    await joinOthers(operatorOf, directory);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    operator: operatorOf('m1'),
    setUp: (stateDirectory) =>
      configureCluster(operatorOf('m1'), {
        ...{ stateDirectory, poolDriver: 'btrfs', poolConfig: { size: '8GiB' } },
      }),
    kill: async (name) => {
      await members.get(name)?.close();
      members.delete(name);
    },
    restart: open,
    close,
  };
}

function optionsOf(directory: string, name: MemberName, bridge: ChildProcess): MemberOptions {
  return {
    directory: join(directory, name),
    address: `${addressOf(name)}/24`,
    gateway: HOST,
    connect: (pid) => {
      const port = `to-${name}`;
      inside(bridge, 'link', 'add', port, 'type', 'veth', 'peer', 'name', 'e0', 'netns', `${pid}`);
      inside(bridge, 'link', 'set', port, 'master', 'bridge', 'up');
    },
  };
}

export function addressOf(name: MemberName): string {
  return `${NETWORK}.${MEMBERS.indexOf(name) + 1}`;
}

/** A process that holds the namespace of a bridge, with an interface of this host in it. */
async function openBridge(): Promise<ChildProcess> {
  const argv = ['--pdeathsig', 'KILL', 'unshare', '--net', 'sleep', 'infinity'];
  const holder = spawn('setpriv', argv, { stdio: 'ignore' });
  const own = readlinkSync('/proc/self/ns/net');
  for (;;) {
    const network = networkOf(holder.pid ?? 0);
    if (network !== undefined && network !== own) break;
    if (holder.exitCode !== null) throw new Error('no network namespace for the bridge');
    await sleep(10);
  }
  inside(holder, 'link', 'add', 'bridge', 'type', 'bridge');
  inside(holder, 'link', 'set', 'bridge', 'up');
  try {
    ip('link', 'delete', LINK);
  } catch {
    // There is none of an aborted run.
  }
  inside(
    holder,
    'link',
    'add',
    'to-host',
    'type',
    'veth',
    'peer',
    'name',
    LINK,
    'netns',
    `${process.pid}`,
  );
  inside(holder, 'link', 'set', 'to-host', 'master', 'bridge', 'up');
  ip('address', 'add', `${HOST}/24`, 'dev', LINK);
  ip('link', 'set', LINK, 'up');
  return holder;
}

function inside({ pid }: ChildProcess, ...args: readonly string[]): void {
  const argv = [`--net=/proc/${pid}/ns/net`, 'ip', ...args];
  execFileSync('nsenter', argv, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Makes a cluster of the first member, which the others join. */
async function joinOthers(
  operatorOf: (name: MemberName) => Cluster,
  directory: string,
): Promise<void> {
  const first = operatorOf('m1');
  await listenOn(first, `${addressOf('m1')}:8443`);
  await first.run('/1.0/cluster', {
    ...{ method: 'PUT', body: { server_name: 'm1', enabled: true } },
  });
  for (const name of MEMBERS.slice(1)) {
    const environmentOf = (member: string) => ({
      ...serverEnvironment(),
      [server.directoryVariable]: join(directory, member, server.name),
    });
    const added = execFileSync(server.client, ['cluster', 'add', name], {
      ...{ env: environmentOf('m1'), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    });
    const input = JSON.stringify({
      cluster: {
        ...{ enabled: true, server_address: `${addressOf(name)}:8443` },
        cluster_token: added.trim().split('\n').at(-1),
      },
    });
    const [init, ...argv] = server.init;
    execFileSync(init, argv, {
      ...{ env: environmentOf(name), input, stdio: ['pipe', 'ignore', 'pipe'] },
    });
  }
  await eventually(async () => {
    const members = await first.ask<{ status: string }[]>('/1.0/cluster/members?recursion=1');
    return members.length === MEMBERS.length && members.every((each) => each.status === 'Online');
  });
}
