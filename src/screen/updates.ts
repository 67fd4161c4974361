import { connectionLost, noAnswer } from './errors.js';
import { ANSWER_TIMEOUT_MS, type Connection } from './rfb/connection.js';
import { scancodeEvent } from './rfb/messages.js';
import type { UpdateSummary } from './rfb/summary.js';
import { type Deferred, deferred, within } from './wait.js';

const ORIGIN = { x: 0, y: 0, width: 1, height: 1 };
/** Milliseconds between requests to a server that has to be kept awake. */
const AWAKE_MS = 30;

interface Barrier {
  readonly done: Deferred<void>;
  reached: boolean;
}

/**
 * Decides when pixels are asked for. Nothing is asked for while nobody looks: a film that plays
 * in the guest costs this process nothing, and the next {@link sync} brings all of it at once.
 *
 * How a sync knows that it is current: it asks for all changes and, whatever it shows, for the
 * pixel at the origin. A server puts everything it knows to have changed into the answer to a
 * request; TigerVNC besides answers only after the frame tick that flushes what was painted
 * (VNCSConnectionST::writeDataUpdate waits while getPendingRegion is not empty), and QEMU after
 * it has read the guest's surface. So the update that holds the origin shows everything painted
 * before the request was taken. A fence ahead of the request tells that update from an earlier
 * one that is still on its way. On an idle screen this takes a tenth of a millisecond.
 */
export class Updates {
  readonly #connection: Connection;
  readonly #watchers = new Set<{ readonly intervalMs: number }>();
  /** Pixels of the screen that never came: all of them at first and after a change of size. */
  #missing: number;
  #barrier: Barrier | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #requestedAt = Number.NEGATIVE_INFINITY;
  #outstanding = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#missing = area(connection);
    connection.on('resize', () => {
      this.#missing = area(connection);
    });
    connection.on('update', (summary) => this.#onUpdate(summary));
    connection.on('close', (error) => {
      clearTimeout(this.#timer);
      this.#barrier?.done.reject(error ?? connectionLost());
    });
  }

  /**
   * Resolves when the framebuffer shows everything that was painted before this call. Calls at
   * the same time share one exchange, never one that began before them.
   */
  sync(signal?: AbortSignal, timeoutMs = ANSWER_TIMEOUT_MS): Promise<void> {
    return within(this.#shared(), {
      timeoutMs,
      signal,
      onTimeout: () => noAnswer('send its picture', timeoutMs),
    });
  }

  /**
   * Lets changes flow, at most one update every `intervalMs` milliseconds, until the function
   * returned is called.
   */
  watch(intervalMs: number): () => void {
    const watcher = { intervalMs };
    this.#watchers.add(watcher);
    this.#pump();
    return () => this.#watchers.delete(watcher);
  }

  #shared(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.#shared();
      });
    return this.#next;
  }

  async #run(): Promise<void> {
    const { fences, scancodes } = this.#connection.can;
    // Without a fence, an answer to an earlier request cannot be told from one to ours, so we
    // ask once more than answers may still be on their way: one to a request of the watchers,
    // one since a server may answer the two parts of our last request apart. QEMU never does.
    const early = fences ? 0 : Number(this.#outstanding) + (scancodes ? 0 : 1);
    const rounds = 1 + early;
    for (let round = 0; round < rounds; round++) await this.#exchange();
  }

  async #exchange(): Promise<void> {
    this.#connection.requireOpen();
    const barrier: Barrier = { done: deferred<void>(), reached: !this.#connection.can.fences };
    this.#barrier = barrier;
    try {
      if (this.#connection.can.fences) {
        this.#connection.onceReached(() => {
          barrier.reached = true;
        });
      } else this.#wake();
      this.#request();
      await within(barrier.done.promise, {
        timeoutMs: ANSWER_TIMEOUT_MS,
        onTimeout: () => noAnswer('send its picture', ANSWER_TIMEOUT_MS),
      });
    } finally {
      if (this.#barrier === barrier) this.#barrier = undefined;
    }
  }

  #onUpdate(summary: UpdateSummary): void {
    this.#outstanding = false;
    this.#missing -= summary.pixels;
    const barrier = this.#barrier;
    if (barrier?.reached && summary.origin && this.#missing <= 0) {
      this.#barrier = undefined;
      barrier.done.resolve();
    } else if (barrier !== undefined) {
      // A server may answer with news that are no pixels, and forget the request over it.
      this.#request();
    }
    this.#pump();
  }

  #request(): void {
    this.#outstanding = true;
    this.#requestedAt = performance.now();
    if (this.#missing > 0) this.#connection.requestUpdate(this.#connection.framebuffer.bounds);
    else if (this.#barrier !== undefined) this.#connection.requestUpdate(ORIGIN);
    else this.#connection.requestUpdate();
  }

  #pump(): void {
    clearTimeout(this.#timer);
    if (this.#watchers.size === 0 || !this.#connection.isOpen) return;
    const sleepy = !this.#connection.can.fences;
    if (this.#outstanding && !sleepy) return;
    let interval = Math.min(...[...this.#watchers].map((watcher) => watcher.intervalMs));
    if (sleepy) interval = Math.max(interval, AWAKE_MS);
    const wait = this.#requestedAt + interval - performance.now();
    if (wait > 0.5) {
      this.#timer = setTimeout(() => this.#pump(), wait);
      return;
    }
    if (sleepy) this.#wake();
    this.#request();
    if (sleepy) this.#pump();
  }

  /**
   * QEMU looks at the guest's surface ever more rarely, down to every 3 s, until a client sends
   * input. The release of a key that does not exist is input, and reaches nobody.
   */
  #wake(): void {
    if (this.#connection.can.scancodes) this.#connection.send(scancodeEvent('release', 0, 0));
  }
}

function area(connection: Connection): number {
  const { width, height } = connection.framebuffer.size;
  return width * height;
}
