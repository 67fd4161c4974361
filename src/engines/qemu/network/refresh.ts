import { execa } from 'execa';
import { type ProcessIdentity, processIs } from '../../../lib/process/identity.js';
import { ENVIRONMENT } from '../process/command.js';
import { REFUSED_FILE, SERVE_NAMES, THROTTLE_MACHINE } from '../process/supervisor-script.js';
import { replaceHostAddresses } from './firewall-rules.js';
import type { MachinePolicy } from './machine-policy.js';
import { hostAddresses, type MachineNetwork } from './plan.js';

const TIMEOUT_MS = 10_000;

/**
 * Blocks the host's present addresses in a running machine, if they have changed since it started.
 * Resolves with the machine's network as it is then.
 */
export async function refreshNetwork(
  identity: ProcessIdentity,
  network: MachineNetwork,
): Promise<MachineNetwork> {
  if (network.mode !== 'filtered') return network;
  const addresses = await hostAddresses();
  if (addresses.join() === network.hostAddresses.join()) return network;
  if (!(await processIs(identity))) return network;
  await inNamespace(identity, ['--net'], ['nft', replaceHostAddresses(addresses)]);
  return { ...network, hostAddresses: addresses };
}

/**
 * RULES NAMES EGRESS INGRESS, in the machine's directory: replaces the table of a policy, its dnsmasq and
 * its throttle. dnsmasq ends first, so that it adds no address to the new table. A machine without rules
 * reaches nothing.
 */
const APPLY = `${SERVE_NAMES}${THROTTLE_MACHINE}
nft list table inet vc >/dev/null 2>&1 || exit 0
if [ -e names.pid ]; then
  pid=$(cat names.pid)
  rm names.pid
  kill "$pid" 2>/dev/null && while kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
fi
rm -f ${REFUSED_FILE}
nft "$1" || exit
throttle_machine "$3" "$4" || exit
[ -z "$2" ] || serve_names "$2"
`;

/** Puts the policy of a running machine in force in place of an earlier one. */
export async function applyPolicy(
  identity: ProcessIdentity,
  directory: string,
  { rules, names, throttle: { egress, ingress } }: MachinePolicy,
): Promise<void> {
  if (!(await processIs(identity))) return;
  const script = ['sh', '-c', APPLY, 'vc-policy', rules, names, egress, ingress];
  await inNamespace(identity, ['--net', '--pid'], script, directory);
}

async function inNamespace(
  { pid }: ProcessIdentity,
  namespaces: readonly string[],
  command: readonly string[],
  cwd = '/',
): Promise<void> {
  const target = ['--target', String(pid), '--user', ...namespaces];
  // Root must switch to the namespace's root; the owner of the namespace has that role already.
  if (process.getuid?.() !== 0) target.push('--preserve-credentials');
  await execa('nsenter', [...target, '--', ...command], {
    cwd,
    timeout: TIMEOUT_MS,
    env: ENVIRONMENT,
    extendEnv: false,
  });
}
