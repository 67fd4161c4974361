import type { buildConnector } from 'undici';
import { CONNECT_MS, type Transport } from '../transport.js';
import { isChecked, type ListenerUid, verifyPeer } from '../trusted-peer.js';
import { createConnector, Pool, request } from './parts.js';

/**
 * Opens a pool to `origin` (`http://host:port`), for many requests and large bodies. Nothing is sent
 * yet.
 */
export function openPool(origin: string, listenerUid: ListenerUid | undefined): Transport {
  const pool = new Pool(origin, {
    connect: isChecked(new URL(origin), listenerUid)
      ? verifiedConnector(listenerUid)
      : { timeout: CONNECT_MS },
  });
  return {
    request: (options) => request.call(pool, options),
    close: () => pool.close(),
  };
}

function verifiedConnector(listenerUid: ListenerUid | undefined): buildConnector.connector {
  const connect = createConnector({ timeout: CONNECT_MS });
  return (options, done) =>
    connect(options, (...result) => {
      const [failure, socket] = result;
      if (failure !== null || socket === null) return done(...result);
      verifyPeer(socket, listenerUid).then(
        () => done(null, socket),
        (error: Error) => {
          socket.destroy();
          done(error, null);
        },
      );
    });
}
