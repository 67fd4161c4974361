import { constants } from 'node:crypto';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, DEFAULT_CIPHERS } from 'node:tls';
import { within } from '../lib/async/deadline.js';
import { deferred } from '../lib/async/deferred.js';
import { messageOf, targetFailed } from './errors.js';
import type { Endpoint } from './target.js';

/**
 * With DHE, the target chooses the group, and one of 10,000 bits takes this process a second. In TLS 1.2 a
 * server may ask for new handshakes endlessly. OpenSSL bounds a chain of certificates to 100 KB.
 */
const TLS = {
  ciphers: `${DEFAULT_CIPHERS}:!DHE`,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
};
/** Addresses of a target that are tried. */
const MOST_ADDRESSES = 4;
/** Milliseconds for the connection to one address, and its TLS handshake. */
const CONNECT_MS = 5_000;

/** Connects to the first of the checked `addresses` that accepts, without resolving the name again. */
export async function dial(
  target: Endpoint,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Socket> {
  let failure: unknown;
  for (const address of addresses.slice(0, MOST_ADDRESSES)) {
    signal.throwIfAborted();
    try {
      return await connectTo(target, address, signal);
    } catch (error) {
      failure = error;
    }
  }
  signal.throwIfAborted();
  throw targetFailed(target.label, reason(failure), failure);
}

async function connectTo(target: Endpoint, address: string, signal: AbortSignal): Promise<Socket> {
  const { host, port, secure } = target;
  const servername = isIP(host) === 0 ? host : '';
  const socket = secure
    ? connectTls({ ...TLS, host: address, port, servername })
    : connect({ host: address, port });
  const connection = deferred<void>();
  socket.on('error', connection.reject);
  socket.once('close', () => connection.reject(new Error('it closed the connection')));
  socket.once(secure ? 'secureConnect' : 'connect', () => connection.resolve());
  const onTimeout = () => new Error('it does not answer');
  try {
    await within(connection.promise, { ms: CONNECT_MS, onTimeout, signal });
    socket.setNoDelay(true);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ECONNRESET: 'it closed the connection',
  ETIMEDOUT: 'it does not answer',
};

function reason(failure: unknown): string {
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : '';
  return REASONS[code] ?? messageOf(failure);
}
