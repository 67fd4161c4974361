import { ConcurrencyLimit } from '../../lib/async/concurrency-limit.js';

/** The threads of libuv's pool. bin/vc.js sets the variable for the service. */
const THREADS = Math.max(1, Number.parseInt(process.env.UV_THREADPOOL_SIZE ?? '4', 10) || 1);
/** Threads left to files, name look-ups and live views. */
const LEFT = 2;

/** Encodes pictures, and bands of pictures, of all screens in the thread pool. */
export const encodings = new ConcurrencyLimit(Math.max(1, THREADS - LEFT));
