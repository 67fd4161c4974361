import { nextTick } from 'node:process';
// Not the global function: a test that replaces it for a while would leave everybody waiting.
import { setImmediate } from 'node:timers';
import { abortable } from './abort.js';
import { deferred } from './deferred.js';
import { TakingTurns } from './keyed-queue.js';
import { sleep } from './sleep.js';

/** Callers that continue in one turn of the event loop. */
const MOST_PER_TURN = 8;
/** Milliseconds of one turn after which no further caller continues. */
const MOST_MS = 8;
/** Milliseconds of a turn after which its owner's next one waits for four times as long. */
const LONG_MS = 10;
const REST = 4;

/** Callers of each owner that wait. */
const waiting = new TakingTurns<() => void>();
/** Callers of this turn; those that it has no time for are the first of the next. */
const going: (() => void)[] = [];
let isReleasing = false;

/**
 * Resolves in a later turn of the event loop, in which few others continue: before work of milliseconds
 * that may come up a thousand times at once. Requests and sockets have their turn in between. The owners
 * have their turns one after the other; callers without one count as one owner.
 */
export function nextTurn(ownerId = ''): Promise<void> {
  return new Promise((resolve) => {
    waiting.add(ownerId, resolve);
    if (isReleasing) return;
    isReleasing = true;
    setImmediate(release);
  });
}

async function release(): Promise<void> {
  const end = performance.now() + MOST_MS;
  while (going.length < MOST_PER_TURN) {
    const caller = waiting.next();
    if (caller === undefined) break;
    going.push(caller);
  }
  do {
    going.shift()?.();
    // What it does in this turn is done then.
    await new Promise<void>((resolve) => nextTick(resolve));
  } while (going.length > 0 && performance.now() < end);
  isReleasing = going.length > 0 || !waiting.isEmpty;
  if (isReleasing) setImmediate(release);
}

/** Limits the work that is done at once in one turn of the event loop. */
export class TurnBudget {
  readonly #most: number;
  #used = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether so much fits into this turn, and counts it then. If not, wait for another turn. */
  fits(amount: number): boolean {
    if (this.#used + amount > this.#most) return false;
    if (this.#used === 0) {
      setImmediate(() => {
        this.#used = 0;
      });
    }
    this.#used += amount;
    return true;
  }
}

let last = Promise.resolve();

/**
 * Resolves in a later turn of the event loop, in which no other caller of this function continues:
 * before work of up to a tenth of a second.
 */
export function ownTurn(): Promise<void> {
  last = last.then(() => nextTurn('own'));
  return last;
}

/** Whose work it is: an owner's, and of one of its limited keys if `queue` names it. */
export interface LongCaller {
  readonly ownerId: string;
  readonly queue?: string | undefined;
}

type Task = () => Promise<void>;

/** An owner's callers that wait: in turns those of its limited keys, one key after the other, and all others. */
class OwnersTasks {
  readonly #limited = new TakingTurns<Task>();
  readonly #others = new TakingTurns<Task>();
  #isLimitedNext = false;

  add(queue: string | undefined, task: Task): void {
    if (queue === undefined) this.#others.add('', task);
    else this.#limited.add(queue, task);
  }

  next(): Task | undefined {
    const isLimited = this.#others.isEmpty || (this.#isLimitedNext && !this.#limited.isEmpty);
    this.#isLimitedNext = !isLimited;
    return isLimited ? this.#limited.next() : this.#others.next();
  }
}

/** Turns of the event loop for work of tens of milliseconds, which leave most of the time to others. */
export class LongTurns {
  /** Of each owner one caller waits for its turn; the others wait here. */
  readonly #owners = new Map<string, OwnersTasks>();

  /**
   * Resolves in a turn in which no other caller does. After a long one the owner's next caller rests.
   * Rejects with the signal's reason.
   */
  enter({ ownerId, queue }: LongCaller, signal: AbortSignal): Promise<void> {
    const turn = deferred<void>();
    const known = this.#owners.get(ownerId);
    const tasks = known ?? new OwnersTasks();
    tasks.add(queue, async () => {
      if (signal.aborted) return;
      await ownTurn();
      if (signal.aborted) return;
      const begun = performance.now();
      turn.resolve();
      // The caller works in this turn.
      await new Promise<void>((resolve) => void setImmediate(resolve));
      const ms = performance.now() - begun;
      if (ms > LONG_MS) await sleep(REST * ms);
    });
    if (known === undefined) {
      this.#owners.set(ownerId, tasks);
      void this.#run(ownerId, tasks);
    }
    return abortable(turn.promise, signal);
  }

  async #run(ownerId: string, tasks: OwnersTasks): Promise<void> {
    for (let task = tasks.next(); task !== undefined; task = tasks.next()) await task();
    this.#owners.delete(ownerId);
  }
}

/** Starts `work` for all items of an owner, a few in each turn, and waits for all of them. */
export async function allInPieces<T, R>(
  ownerId: string,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const results: Promise<PromiseSettledResult<R>[]>[] = [];
  for (let start = 0; start < items.length; start += MOST_PER_TURN) {
    await nextTurn(ownerId);
    results.push(Promise.allSettled(items.slice(start, start + MOST_PER_TURN).map(work)));
  }
  return (await Promise.all(results)).flat();
}
