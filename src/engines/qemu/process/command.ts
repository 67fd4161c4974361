import type { MachineNetwork } from '../network/plan.js';
import type { Account } from './account.js';
import { PRIVATE_TUN, SUPERVISOR, stageOf } from './supervisor.js';

export interface CommandParts {
  readonly account: Account;
  readonly network: MachineNetwork;
  /** Supplementary groups that it needs on the host, for /dev/kvm. */
  readonly groups: readonly number[];
  /** Root only: everybody else is kept from /dev/net/tun. */
  readonly tun: 'as it is' | 'private';
  readonly relayPort: number | undefined;
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * The whole command that starts a machine, as one vector of arguments: where the service is root,
 * to be the machine's own user first; then the namespaces, which are that user's; then the scripts
 * of supervisor.ts; then QEMU.
 *
 * For root, CAP_SYS_ADMIN is kept until the user namespace is made, because some hosts let nobody
 * else make one. It is gone by that very step.
 */
export function machineCommand(parts: CommandParts): string[] {
  const { network, relayPort, program, args } = parts;
  const relay = relayPort === undefined || network.mode === 'restricted' ? '' : 'relay';
  return [
    ...asMachine(parts),
    ...(network.mode === 'restricted' ? [] : NAMESPACES),
    ...['sh', '-c', SUPERVISOR, 'vc-machine'],
    ...[stageOf(network.mode), network.mode, network.rules, relay],
    ...[program, ...args],
  ];
}

const NAMESPACES = ['unshare', '--user', '--map-root-user', '--fork', '--pid', '--'];

function asMachine({ account, network, groups, tun }: CommandParts): string[] {
  const restricted = network.mode === 'restricted';
  if (account.kind === 'own') return restricted ? ['setpriv', '--nnp', '--'] : [];
  const kept = restricted ? '-all' : '-all,+sys_admin';
  const privateTun = network.mode === 'filtered' && tun === 'private';
  return [
    ...(privateTun ? ['unshare', '--mount', '--', 'sh', '-c', PRIVATE_TUN, 'vc-machine'] : []),
    'setpriv',
    ...['--reuid', String(account.uid), '--regid', String(account.gid)],
    ...(groups.length > 0 ? ['--groups', groups.join()] : ['--clear-groups']),
    ...['--inh-caps', kept, '--ambient-caps', kept],
    ...(restricted ? ['--bounding-set', '-all', '--nnp'] : []),
    '--',
  ];
}
