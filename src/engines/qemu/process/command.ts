import type { MachineNetwork } from '../network/plan.js';
import type { Account } from './account.js';
import { PRIVATE_TUN, SUPERVISOR, stageOf } from './supervisor-script.js';
import { type ServedVolumes, withVolumeServer } from './volume-server.js';

/**
 * The first arguments of every machine's QEMU: no default configuration or devices, and a seccomp
 * filter under which it cannot execute programs, gain privileges or change scheduling.
 */
export const hardeningArguments: readonly string[] = [
  '-no-user-config',
  '-nodefaults',
  '-sandbox',
  'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny',
];

/** The whole environment of a machine's programs: nothing of the service's is passed on. */
export const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
};

const NAMESPACES = ['unshare', '--user', '--map-root-user', '--fork', '--pid', '--'];

export interface CommandParts {
  readonly account: Account;
  readonly network: MachineNetwork;
  /** Supplementary groups on the host, for /dev/kvm. */
  readonly groups: readonly number[];
  /** `private`: mount a /dev/net/tun that the machine's user may open. Only root can. */
  readonly tun: 'host' | 'private';
  readonly relayPort: number | undefined;
  /** Only a root service can serve volumes. */
  readonly volumes?: ServedVolumes | undefined;
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * The argument vector that spawns a machine: a root service first switches to the machine's user;
 * that user creates the namespaces; in them run the scripts of supervisor-script.ts, then QEMU.
 *
 * A root service keeps CAP_SYS_ADMIN until the user namespace exists, because some hosts do not let
 * unprivileged users create one. Creating it drops the capability.
 */
export function machineCommand(parts: CommandParts): string[] {
  const { account, network, relayPort, volumes, program, args } = parts;
  const relay = relayPort === undefined || network.mode === 'restricted' ? '' : 'relay';
  return [
    ...(volumes === undefined ? [] : withVolumeServer(volumes, account)),
    ...asMachine(parts),
    ...(network.mode === 'restricted' ? [] : NAMESPACES),
    'sh',
    '-c',
    SUPERVISOR,
    'vc-machine',
    stageOf(network.mode),
    network.mode,
    network.rules,
    network.names,
    network.throttle?.egress ?? '',
    network.throttle?.ingress ?? '',
    relay,
    program,
    ...args,
  ];
}

function asMachine({ account, network, groups, tun }: CommandParts): string[] {
  const restricted = network.mode === 'restricted';
  if (account.kind === 'own') return restricted ? ['setpriv', '--nnp', '--'] : [];
  const kept = restricted ? '-all' : '-all,+sys_admin';
  const privateTun = network.mode === 'filtered' && tun === 'private';
  const argv = privateTun
    ? ['unshare', '--mount', '--', 'sh', '-c', PRIVATE_TUN, 'vc-machine']
    : [];
  argv.push('setpriv', '--reuid', String(account.uid), '--regid', String(account.gid));
  argv.push(...(groups.length > 0 ? ['--groups', groups.join()] : ['--clear-groups']));
  argv.push('--inh-caps', kept, '--ambient-caps', kept);
  if (restricted) argv.push('--bounding-set', '-all', '--nnp');
  argv.push('--');
  return argv;
}
