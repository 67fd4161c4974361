import { promises as dns } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { onAbort } from '../async/abort.js';

/** Milliseconds until a name server is asked a second and last time; that takes twice as long. */
const ASK = { timeout: 2_000, tries: 2 };
const HOSTS_FILE = '/etc/hosts';

const NAME = /^(?=.{1,253}\.?$)([\w-]{1,63}\.)*[\w-]{1,63}\.?$/;

export interface LookUpOptions {
  /** Name servers; by default those of the system. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
}

/**
 * The addresses of a name, from the hosts file or else the name servers, the IPv4 ones first. Rejects
 * with an error that has a `code`, or with the signal's reason, and then no question is left.
 *
 * `dns.lookup` cannot be cancelled and takes one of few threads until the system gives up, so names
 * of a domain whose server never answers would delay all look-ups of the process.
 */
export async function lookUp(
  name: string,
  signal?: AbortSignal,
  { servers, hostsFile = HOSTS_FILE }: LookUpOptions = {},
): Promise<string[]> {
  const address = addressOf(name);
  if (address !== undefined) return [address];
  const listed = listedIn(await readFile(hostsFile, 'utf8').catch(() => ''), name);
  signal?.throwIfAborted();
  if (listed.length > 0) return listed;
  const resolver = new dns.Resolver(ASK);
  if (servers !== undefined) resolver.setServers(servers);
  const questions = [resolver.resolve4(name), resolver.resolve6(name)];
  const dispose = onAbort(signal, () => resolver.cancel());
  try {
    const answers = await Promise.allSettled(questions);
    signal?.throwIfAborted();
    const found = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const failed = answers.find((each) => each.status === 'rejected');
    if (found.length === 0) throw failed?.reason ?? notFound(name);
    return found;
  } finally {
    dispose();
  }
}

/** An address in any notation, such as 127.1, as it is usually written; undefined for a name. */
function addressOf(name: string): string | undefined {
  if (isIP(name) !== 0) return name;
  const url = `http://${name}`;
  // It cannot be parsed if it ends in a number and is no address.
  if (!NAME.test(name) || !URL.canParse(url)) throw notFound(name);
  const { hostname } = new URL(url);
  return isIP(hostname) === 0 ? undefined : hostname;
}

/** The addresses of a name in the text of a hosts file. */
function listedIn(text: string, name: string): string[] {
  const wanted = name.toLowerCase().replace(/\.$/, '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#', 1)[0] ?? '').trim().split(/\s+/);
    const isListed = names.some((each) => each.toLowerCase() === wanted);
    return isListed && isIP(address) !== 0 ? [address] : [];
  });
}

function notFound(name: string): Error {
  return Object.assign(new Error(`There is no name ${JSON.stringify(name)}.`), {
    code: dns.NOTFOUND,
  });
}
