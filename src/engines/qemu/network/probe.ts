import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareDirectory } from '../process/account.js';
import { waitForEnd } from '../process/end.js';
import { ENVIRONMENT } from '../process/environment.js';
import { tunForAll, unusable } from '../process/host.js';
import { launch } from '../process/launch.js';
import { type Counting, machineRules } from './rules.js';

/** Can machines have a filtered network here? If not: why, and the one command that mends it. */
export type NetworkProbe =
  | { readonly usable: true; readonly counting: Counting; readonly detail: string }
  | {
      readonly usable: false;
      /** Machines can at least have a network namespace of their own. */
      readonly namespaces: boolean;
      readonly reason: string;
      readonly remedy: string;
    };

/** Finds out once and remembers it if it is good; see {@link tryNetwork}. */
export async function probeNetwork(signal?: AbortSignal): Promise<NetworkProbe> {
  if (known?.usable) return known;
  known = await tryNetwork(signal);
  return known;
}

let known: NetworkProbe | undefined;

/** Starts `true` instead of QEMU in everything that a machine would get. */
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
  const mending = await whatIsMissing(namespaces);
  return { usable: false, namespaces, reason: failures.at(-1) ?? '', ...mending };
}

/** Why it failed; undefined when it did not. */
async function tryOnce(
  mode: 'filtered' | 'isolated',
  counting: Counting,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const parent = await mkdtemp(join(tmpdir(), 'vc-network-'));
  const directory = join(parent, 'machine');
  try {
    const rules = mode === 'filtered' ? machineRules(ANY_POLICY, [], counting) : '';
    const launched = await launch({
      directory,
      account: await prepareDirectory(directory),
      program: 'true',
      args: [],
      network: { mode, rules, guest: null, hostAddresses: [] },
      acceleration: 'tcg',
      ...(signal ? { signal } : {}),
    });
    const ended = await waitForEnd(directory, launched.identity, signal);
    if (ended.kind === 'exited' && ended.status === 0) return undefined;
    return await launched.lastWords();
  } catch (error) {
    signal?.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

const ANY_POLICY = { internet: true, allowNetworks: [] };

/** The likeliest cause, where one can be seen. */
async function whatIsMissing(namespaces: boolean): Promise<{ remedy: string; reason?: string }> {
  if (!namespaces) {
    return {
      remedy: 'sudo sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=65536',
    };
  }
  for (const program of ['slirp4netns', 'nft']) {
    if (!(await isInstalled(program))) {
      return { reason: `${program} is not installed`, remedy: 'vc setup' };
    }
  }
  const isRoot = process.getuid?.() === 0;
  if ((await tunForAll()) === undefined) {
    return { reason: 'there is no /dev/net/tun', remedy: 'sudo modprobe tun' };
  }
  if (!isRoot && (await unusable('/dev/net/tun')) !== undefined) {
    const reason = '/dev/net/tun may not be opened';
    return { reason, remedy: 'sudo chmod 0666 /dev/net/tun' };
  }
  return { remedy: 'sudo modprobe nf_tables' };
}

async function isInstalled(program: string): Promise<boolean> {
  const paths = ENVIRONMENT.PATH.split(':').map((directory) => join(directory, program));
  return Promise.any(paths.map((path) => access(path))).then(
    () => true,
    () => false,
  );
}
