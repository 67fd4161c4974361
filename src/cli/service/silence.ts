import { listeningInodes } from '../../lib/net/tcp-table.js';
import { processOfSocket } from '../../lib/process/of-socket.js';
import { type Environment, stateDirectory } from '../../profile/index.js';
import { isLoopbackUrl } from '../serve/listen.js';
import { readServiceRecord, runningProcess } from './record.js';

/** A service that accepts connections and does not answer, as an error tells it. */
export interface Silence {
  readonly message: string;
  readonly remedy: string;
}

/** Names the process, if it is on this machine, and what to do about it. */
export async function describeSilence(baseUrl: string, env: Environment): Promise<Silence> {
  const isHere = isLoopbackUrl(baseUrl);
  const pid = isHere ? await listener(baseUrl) : undefined;
  if (pid === undefined) {
    return {
      message: `the service at ${baseUrl} accepts connections but does not answer`,
      remedy: `restart it ${isHere ? 'as its user' : 'on its machine'}: vc service restart`,
    };
  }
  return {
    message: `process ${pid} listens on ${new URL(baseUrl).host} but does not answer`,
    remedy: await remedyFor(pid, env),
  };
}

async function listener(baseUrl: string): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const { hostname, port, protocol } = new URL(baseUrl);
  const number = Number(port || (protocol === 'https:' ? 443 : 80));
  // `localhost` may be either.
  const addresses =
    hostname === 'localhost' ? ['127.0.0.1', '::1'] : [hostname.replace(/[[\]]/g, '')];
  const inodes = await Promise.all(addresses.map((address) => listeningInodes(address, number)));
  return processOfSocket(inodes.flat());
}

/** The service of the default state directory can be restarted with its options. */
async function remedyFor(pid: number, env: Environment): Promise<string> {
  const record = await readServiceRecord(stateDirectory(env)).catch(() => undefined);
  const isOurs = (await runningProcess(record))?.pid === pid;
  if (!isOurs) return `if it is a service, name its state: vc service restart --state DIRECTORY`;
  if (record?.log === null) return 'end it, and start it again where it ran: vc service stop';
  return 'restart it: vc service restart';
}
