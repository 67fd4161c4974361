import request from 'undici/lib/api/api-request.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { CONNECT_MS, type Transport } from './transport.js';

/**
 * Opens a pool to `origin` (`http://host:port`), for many requests and large bodies. Nothing is sent
 * yet.
 *
 * Enters undici by its request path alone: the whole package, with fetch, caches and mocks, takes
 * three times as long to load.
 */
export function openPool(origin: string): Transport {
  const pool = new Pool(origin, { connect: { timeout: CONNECT_MS } });
  return {
    request: (options) => request.call(pool, options),
    close: () => pool.close(),
  };
}
