import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { listeningSockets } from '../../lib/net/local-sockets.js';
import { processOfSocket } from '../../lib/process/of-socket.js';
import { stateDirectory } from '../../profile/index.js';

/** Who accepts connections at an address of this machine, as far as this user may know. */
export interface Listener {
  readonly pid: number | undefined;
  /** Its users; empty if it is in another network namespace. */
  readonly uids: readonly number[];
}

/** Linux only; elsewhere nothing is known. */
export async function listenerAt(baseUrl: string): Promise<Listener> {
  if (process.platform !== 'linux') return { pid: undefined, uids: [] };
  const { hostname, port, protocol } = new URL(baseUrl);
  const number = Number(port || (protocol === 'https:' ? 443 : 80));
  // `localhost` may be either.
  const addresses =
    hostname === 'localhost' ? ['127.0.0.1', '::1'] : [hostname.replace(/[[\]]/g, '')];
  const found = addresses.flatMap((address) => listeningSockets(address, number));
  const pid = await processOfSocket(found.map(({ inode }) => inode));
  return { pid, uids: [...new Set(found.map(({ uid }) => uid))] };
}

/** The state directory of a process that runs `vc serve`; undefined for any other, or if unknown. */
export async function stateOfProcess(pid: number): Promise<string | undefined> {
  const words = await zeroSeparated(`/proc/${pid}/cmdline`);
  if (!words.includes('serve')) return undefined;
  const flag = words.findIndex((word) => word === '--state' || word.startsWith('--state='));
  const given = flag < 0 ? undefined : (words[flag]?.split('=', 2)[1] ?? words[flag + 1]);
  if (given !== undefined) return given.startsWith('/') ? given : undefined;
  const variables = await zeroSeparated(`/proc/${pid}/environ`);
  const env = Object.fromEntries(variables.map((line) => line.split(/=(.*)/s)));
  return env.HOME === undefined ? undefined : resolve('/', stateDirectory(env));
}

/** Empty for a process that has ended, or whose file this user may not read. */
async function zeroSeparated(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\0').slice(0, -1);
}
