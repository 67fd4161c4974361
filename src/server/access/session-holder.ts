import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { nextTurn } from '../../lib/async/next-turn.js';
import { type Connection, openingUids } from '../../lib/net/tcp-table.js';

/** The name of a session's cookie, without its port. */
export const COOKIE_NAME = 'vc_session_';
/** Of connections of this host. */
const holders = new WeakMap<Socket, string>();

/**
 * Finds the user of this host who has opened the connection, Linux only, and calls `done`.
 * The session of a cookie works for that user only: another one could take the port of a stopped
 * service, and would get the cookie of a page that is still open.
 */
export function findHolder(socket: Socket, done: () => void): void {
  const connection = holders.has(socket) ? undefined : localConnection(socket);
  if (connection === undefined) {
    done();
    return;
  }
  waiting.push({
    connection,
    found: (uid) => {
      // Nobody, not even of another connection that was closed.
      holders.set(socket, ` uid ${uid ?? randomUUID()}`);
      done();
    },
  });
  if (!isSearching) void search();
}

interface Waiting {
  readonly connection: Connection;
  found(uid: number | undefined): void;
}

let waiting: Waiting[] = [];
let isSearching = false;

/** Searches for all that wait at once, which do not have to have a key: a host's table can be long. */
async function search(): Promise<void> {
  isSearching = true;
  while (waiting.length > 0) {
    const asked = waiting;
    waiting = [];
    const uids = await openingUids(asked.map(({ connection }) => connection)).catch(() => []);
    // Their requests continue, a few in each turn.
    for (const [index, { found }] of asked.entries()) {
      void nextTurn('session holders').then(() => found(uids[index]));
    }
  }
  isSearching = false;
}

/** What the secret of a session is stored with; empty for a client on another host. */
export function holderOf({ socket }: Pick<IncomingMessage, 'socket'>): string {
  return holders.get(socket) ?? '';
}

function localConnection(socket: Socket): Connection | undefined {
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  if (process.platform !== 'linux' || localAddress === undefined || localPort === undefined) return;
  if (remoteAddress === undefined || remotePort === undefined) return;
  const isLocal = remoteAddress === localAddress || /^(::ffff:)?127\.|^::1$/i.test(remoteAddress);
  return isLocal ? { localAddress, localPort, remoteAddress, remotePort } : undefined;
}
