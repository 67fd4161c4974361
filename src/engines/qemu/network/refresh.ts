import { execa } from 'execa';
import { ENVIRONMENT } from '../process/environment.js';
import { type ProcessIdentity, processIs } from '../process/identity.js';
import { hostAddresses } from './host-addresses.js';
import type { MachineNetwork } from './plan.js';
import { replaceHostAddresses } from './rules.js';

const MOST_MS = 10_000;

/**
 * Closes the host's present addresses in a running machine, which were others when it began.
 * Resolves with what the machine's network is now; the same when nothing has changed.
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
  // Root has to become the namespace's root; its owner is that already, and may become nobody else.
  if (process.getuid?.() !== 0) target.push('--preserve-credentials');
  await execa('nsenter', [...target, '--', 'nft', replaceHostAddresses(addresses)], {
    timeout: MOST_MS,
    env: ENVIRONMENT,
    extendEnv: false,
  });
  return { ...network, hostAddresses: addresses };
}
