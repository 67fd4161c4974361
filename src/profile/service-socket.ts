import { join } from 'node:path';
import { readBoundedSync } from '../lib/fs/read-bounded.js';
import { type Environment, stateDirectory } from './directory.js';

/** Largest record of a service that is read. */
const MOST_BYTES = 4 << 20;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The unix socket of the API of the service with this state directory. */
export function serviceSocket(directory: string): string {
  return join(directory, 'service.sock');
}

/**
 * The socket of this user's service if the last one had this loopback address, also after it has
 * stopped: another user could have taken its port, and would be sent the key.
 */
export function recordedSocket(baseUrl: string, env: Environment): string | undefined {
  const port = loopbackPort(baseUrl);
  if (port === undefined) return undefined;
  const directory = stateDirectory(env);
  try {
    const record = readBoundedSync(join(directory, 'service.json'), MOST_BYTES).toString();
    const { url } = JSON.parse(record) as { readonly url: string };
    return loopbackPort(url) === port ? serviceSocket(directory) : undefined;
  } catch {
    // No service, or one of another user.
    return undefined;
  }
}

function loopbackPort(baseUrl: string): string | undefined {
  if (!URL.canParse(baseUrl)) return undefined;
  const { protocol, hostname, port } = new URL(baseUrl);
  return protocol === 'http:' && LOOPBACK.test(hostname) ? port : undefined;
}
