import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';

/** How often a missing address is tried again, in milliseconds: a host may get IPv6 later. */
const RETRY_MS = 1_000;
/** `::1` in /proc/net/if_inet6. */
const IPV6_LOOPBACK = /^0{31}1 /m;

interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Accepts connections for an HTTP server on a further address, which Node.js gives only one, until the
 * returned function is called. While this host does not have the address, it is tried again; `onTaken`
 * is called if another program has it then. Rejects if another program has it now.
 */
export async function acceptFor(
  server: HttpServer,
  address: Address,
  onTaken: (error: Error) => void,
): Promise<() => void> {
  let listener = await listen(server, address);
  let timer: NodeJS.Timeout | undefined;
  const tryLater = () => {
    timer = setTimeout(async () => {
      try {
        listener = await listen(server, address);
        if (listener === undefined) tryLater();
        else if (timer === undefined) listener.close();
      } catch (error) {
        onTaken(error as Error);
      }
    }, RETRY_MS).unref();
  };
  if (listener === undefined) tryLater();
  return () => {
    clearTimeout(timer);
    timer = undefined;
    listener?.close();
  };
}

/** Undefined if this host does not have the address. */
async function listen(server: HttpServer, address: Address): Promise<Server | undefined> {
  const listener = await bind(server, address, address.host);
  // Before the host has it, so that no other program can be first; of others nothing is accepted.
  if (listener !== undefined || address.host !== '::1') return listener;
  return bind(server, { ...address, host: '::' }, address.host);
}

async function bind(
  server: HttpServer,
  address: Address,
  only: string,
): Promise<Server | undefined> {
  // As an HTTP server has them.
  const options = { allowHalfOpen: true, noDelay: true };
  const listener = createServer(options, (socket) => {
    if (socket.localAddress === only) server.emit('connection', socket);
    else socket.destroy();
  });
  listener.listen({ ...address, ipv6Only: true });
  try {
    await once(listener, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Not if only this process may not use it.
    const isMissing = code === 'EAFNOSUPPORT' && !hasIpv6Loopback();
    if (isMissing || code === 'EADDRNOTAVAIL') return undefined;
    throw error;
  }
  return listener;
}

function hasIpv6Loopback(): boolean {
  try {
    return IPV6_LOOPBACK.test(readFileSync('/proc/net/if_inet6', 'utf8'));
  } catch {
    return false;
  }
}
