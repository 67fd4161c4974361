import { KeyedLimit } from '../../lib/async/concurrency-limit.js';

/** The threads of libuv's pool. bin/vc.js sets the variable for the service. */
const THREADS = Math.max(1, Number.parseInt(process.env.UV_THREADPOOL_SIZE ?? '4', 10) || 1);
/** Threads left to files, name look-ups and live views. */
const LEFT = 2;
const AT_ONCE = Math.max(1, THREADS - LEFT);

/**
 * Pictures, and bands of pictures, of all screens that are encoded at once in the thread pool. The
 * key is the owner, who can use a third of the threads.
 */
export const encodings = new KeyedLimit({ limit: AT_ONCE, perKey: Math.ceil(AT_ONCE / 3) });
