import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canAccess } from '../../../lib/fs/access.js';
import { errorMessage } from '../../../lib/text/error-message.js';
import { prepareDirectory } from '../process/account.js';
import { ENVIRONMENT } from '../process/command.js';
import { canOpenTun, isTunWorldAccessible } from '../process/devices.js';
import { waitForExit } from '../process/process-record.js';
import { spawnProcess } from '../process/spawn.js';
import { type Counting, machineRules } from './firewall-rules.js';
import type { NetworkProbe } from './plan.js';

/** Tests this host's networking by spawning `true` in place of QEMU. Success is cached. */
export async function probeNetwork(signal?: AbortSignal): Promise<NetworkProbe> {
  if (known?.usable) return known;
  known = await tryNetwork(signal);
  return known;
}

let known: NetworkProbe | undefined;

async function tryNetwork(signal: AbortSignal | undefined): Promise<NetworkProbe> {
  const failures: string[] = [];
  for (const counting of ['rate', 'no rate'] as const) {
    const failure = await tryOnce('filtered', counting, signal);
    if (failure === undefined) {
      return { usable: true, counting, detail: 'slirp4netns, nftables' };
    }
    failures.push(failure);
  }
  const namespaces = (await tryOnce('isolated', 'rate', signal)) === undefined;
  const diagnosis = await diagnose(namespaces);
  return { usable: false, namespaces, reason: failures.at(-1) ?? '', ...diagnosis };
}

/** Why it failed; undefined on success. */
async function tryOnce(
  mode: 'filtered' | 'isolated',
  counting: Counting,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const parent = await mkdtemp(join(tmpdir(), 'vc-network-'));
  const directory = join(parent, 'machine');
  try {
    const rules = mode === 'filtered' ? machineRules(ANY_POLICY, [], counting) : '';
    const spawned = await spawnProcess({
      directory,
      account: await prepareDirectory(directory),
      program: 'true',
      args: [],
      network: { mode, rules, names: '', guest: null, hostAddresses: [] },
      acceleration: 'tcg',
      ...(signal ? { signal } : {}),
    });
    const exited = await waitForExit(directory, spawned.identity, signal);
    if (exited.kind === 'exited' && exited.status === 0) return undefined;
    return await spawned.lastLogLines();
  } catch (error) {
    signal?.throwIfAborted();
    return errorMessage(error);
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

const ANY_POLICY = { internet: true, allowNetworks: [] };

/** How to fix it, and a better reason than the log's if the cause is known. */
async function diagnose(
  hasNamespaces: boolean,
): Promise<{ readonly remedy: string; readonly reason?: string }> {
  if (!hasNamespaces) {
    return {
      remedy: 'sudo sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=65536',
    };
  }
  for (const program of ['slirp4netns', 'nft']) {
    if (!(await isInstalled(program))) {
      return { reason: `${program} is not installed`, remedy: 'vc setup --engine qemu' };
    }
  }
  const isRoot = process.getuid?.() === 0;
  if ((await isTunWorldAccessible()) === undefined) {
    return { reason: '/dev/net/tun does not exist', remedy: 'sudo modprobe tun' };
  }
  if (!isRoot && !(await canOpenTun())) {
    const reason = 'permission denied on /dev/net/tun';
    return { reason, remedy: 'sudo chmod 0666 /dev/net/tun' };
  }
  return { remedy: 'sudo modprobe nf_tables' };
}

async function isInstalled(program: string): Promise<boolean> {
  const paths = ENVIRONMENT.PATH.split(':').map((directory) => join(directory, program));
  return (await Promise.all(paths.map((path) => canAccess(path)))).includes(true);
}
