// Not the global function: a test that replaces it for a while would leave everybody waiting.
import { setImmediate } from 'node:timers';

/** Callers that continue in one turn of the event loop. */
const MOST_PER_TURN = 8;

let waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop, in which few others continue: before work of milliseconds
 * that may come up a thousand times at once. Requests and sockets have their turn in between.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(release);
  });
}

function release(): void {
  const going = waiting.slice(0, MOST_PER_TURN);
  waiting = waiting.slice(MOST_PER_TURN);
  if (waiting.length > 0) setImmediate(release);
  for (const go of going) go();
}

let last = Promise.resolve();

/**
 * Resolves in a later turn of the event loop, in which no other caller of this function continues:
 * before work of up to a tenth of a second.
 */
export function ownTurn(): Promise<void> {
  last = last.then(nextTurn);
  return last;
}

/** Starts `work` for all items, a few in each turn of the event loop, and waits for all of them. */
export async function allInPieces<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const results: Promise<PromiseSettledResult<R>[]>[] = [];
  for (let start = 0; start < items.length; start += MOST_PER_TURN) {
    await nextTurn();
    results.push(Promise.allSettled(items.slice(start, start + MOST_PER_TURN).map(work)));
  }
  return (await Promise.all(results)).flat();
}
