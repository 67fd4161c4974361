import { execa } from 'execa';
import { type ProcessIdentity, processIs } from '../../../lib/process/identity.js';
import { ENVIRONMENT } from '../process/command.js';
import { replaceHostAddresses } from './firewall-rules.js';
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
  const target = ['--target', String(identity.pid), '--user', '--net'];
  // Root must switch to the namespace's root; the owner of the namespace has that role already.
  if (process.getuid?.() !== 0) target.push('--preserve-credentials');
  await execa('nsenter', [...target, '--', 'nft', replaceHostAddresses(addresses)], {
    timeout: TIMEOUT_MS,
    env: ENVIRONMENT,
    extendEnv: false,
  });
  return { ...network, hostAddresses: addresses };
}
