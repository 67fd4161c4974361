import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds until the collection: what is released at about the same time is collected at once. */
const SOON_MS = 5_000;
/** Milliseconds between two collections, each of which stops the process for some tens. */
const EVERY_MS = 10_000;

let timer: NodeJS.Timeout | undefined;
let lastAt = Number.NEGATIVE_INFINITY;
let collect: (() => void) | undefined;

/**
 * Collects garbage soon. V8 does so when a program allocates, so an idle one that has released large
 * buffers keeps their memory.
 */
export function collectSoon(): void {
  if (timer !== undefined) return;
  const wait = Math.max(SOON_MS, lastAt + EVERY_MS - performance.now());
  timer = setTimeout(() => {
    timer = undefined;
    lastAt = performance.now();
    collect ??= findCollector();
    collect();
  }, wait);
  timer.unref();
}

/** Only contexts that are created with the flag have the function. */
function findCollector(): () => void {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as () => void;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
