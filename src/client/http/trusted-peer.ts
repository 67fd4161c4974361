import { once } from 'node:events';
import type { ClientRequestArgs } from 'node:http';
import { connect, type Socket } from 'node:net';
import { isPageHost } from '../../contract/access/page-host.js';
import { acceptingUids } from '../../lib/net/tcp-table.js';
import { UntrustedListenerError, UntrustedPageError } from '../errors.js';
import type { ListenerUid } from '../options.js';
import { CONNECT_MS, ConnectTimeoutError } from './transport.js';

/** True if connections to the URL are checked. A TLS server proves itself by its certificate. */
export function isChecked(url: URL, listenerUid: ListenerUid | undefined): boolean {
  return process.platform === 'linux' && url.protocol === 'http:' && listenerUid !== 'any';
}

/**
 * For a connection to this host: throws UntrustedListenerError unless root, the user of this
 * process or `listenerUid` has its other end. Any user can take the port of a service that is
 * stopped. It holds for as long as the connection, so one that is kept alive needs no other check.
 */
export async function verifyPeer(
  socket: Socket,
  listenerUid: ListenerUid | undefined,
): Promise<void> {
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  if (localAddress === undefined || localPort === undefined) return;
  if (remoteAddress === undefined || remotePort === undefined) return;
  if (!isLoopback(remoteAddress) && remoteAddress !== localAddress) return;
  const trusted = [0, process.geteuid?.(), listenerUid];
  const uids = await acceptingUids({ localAddress, localPort, remoteAddress, remotePort });
  const untrusted = uids.find((uid) => !trusted.includes(uid));
  if (uids.length > 0 && untrusted === undefined) return;
  throw new UntrustedListenerError({ address: remoteAddress, port: remotePort, uid: untrusted });
}

/** Where browsers look for a name below `localhost`. */
const PAGE_ADDRESSES = ['::1', '127.0.0.1'];
/** Codes of a connection to an address that this host does not have. */
const MISSING = ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENETUNREACH', 'EHOSTUNREACH'];

/**
 * For a link with a host name of the web page: throws UntrustedListenerError or UntrustedPageError unless
 * trusted users listen at all addresses where browsers look for it. One that nobody has can be taken by
 * another user, who would get the link.
 */
export async function verifyPage(link: URL, listenerUid: ListenerUid | undefined): Promise<void> {
  if (!isPageHost(link.hostname) || !isChecked(link, listenerUid)) return;
  const port = Number(link.port || 80);
  for (const address of PAGE_ADDRESSES) {
    const socket = connect({ host: address, port });
    try {
      await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS) });
      await verifyPeer(socket, listenerUid);
    } catch (cause) {
      if (cause instanceof UntrustedListenerError) throw cause;
      if (MISSING.includes(String((cause as NodeJS.ErrnoException).code))) continue;
      throw new UntrustedPageError({ address, port }, { cause });
    } finally {
      socket.destroy();
    }
  }
}

function isLoopback(address: string): boolean {
  return /^(::ffff:)?127\./i.test(address) || address === '::1';
}

type Connected = (error: Error | null, socket: Socket) => void;

/** A `createConnection` for Node's HTTP client that verifies the peer before anything is sent. */
export function verifiedConnector(listenerUid: ListenerUid | undefined) {
  return ({ host, port }: ClientRequestArgs, done: Connected): undefined => {
    // Node's own agent turns Nagle's algorithm off, too.
    const to = { host: host ?? 'localhost', port: Number(port ?? 80), noDelay: true };
    const socket = connect(to);
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      done(error, socket);
    };
    const timer = setTimeout(
      () => fail(new ConnectTimeoutError('no connection in time')),
      CONNECT_MS,
    );
    socket.once('error', fail);
    socket.once('connect', () => {
      clearTimeout(timer);
      verifyPeer(socket, listenerUid).then(() => {
        socket.off('error', fail);
        done(null, socket);
      }, fail);
    });
  };
}
