import type { Dispatcher } from 'undici';
import request from 'undici/lib/api/api-request.js';
import Pool from 'undici/lib/dispatcher/pool.js';

/** One HTTP request over a pool of kept-alive connections to one origin. */
export interface Transport {
  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
  /** Closes idle connections now and the others when their answer is complete. */
  close(): Promise<void>;
}

/**
 * Opens a pool to `origin` (`http://host:port`). Nothing is sent yet.
 *
 * Enters undici by its request path alone: the whole package, with fetch, caches and mocks, takes
 * three times as long to load, and a command line pays that on every call.
 */
export function openTransport(origin: string): Transport {
  const pool = new Pool(origin, { connect: { timeout: 10_000 } });
  return {
    request: (options) => request.call(pool, options),
    close: () => pool.close(),
  };
}
