import { type Environment, stateDirectory } from '../../profile/index.js';
import { isLoopbackUrl } from '../serve/listen.js';
import { listenerAt } from './listener.js';
import { readServiceRecord, runningProcess } from './record.js';

/** A service that accepts connections and does not answer, as an error tells it. */
export interface Silence {
  readonly message: string;
  readonly remedy: string;
}

/** Names the process, if it is on this machine, and what to do about it. */
export async function describeSilence(baseUrl: string, env: Environment): Promise<Silence> {
  const isHere = isLoopbackUrl(baseUrl);
  const pid = isHere ? (await listenerAt(baseUrl)).pid : undefined;
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

/** The service of the default state directory can be restarted with its options. */
async function remedyFor(pid: number, env: Environment): Promise<string> {
  const record = await readServiceRecord(stateDirectory(env)).catch(() => undefined);
  const isOurs = (await runningProcess(record))?.pid === pid;
  if (!isOurs) return `if it is a service, name its state: vc service restart --state DIRECTORY`;
  if (record?.log === null) return 'end it, and start it again where it ran: vc service stop';
  return 'restart it: vc service restart';
}
