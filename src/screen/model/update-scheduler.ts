import { within } from '../../lib/async/deadline.js';
import { type Deferred, deferred } from '../../lib/async/deferred.js';
import { connectionLost, noAnswer } from '../errors.js';
import type { Region } from '../geometry.js';
import { ANSWER_TIMEOUT_MS, type Connection } from '../rfb/connection.js';
import { scancodeEvent } from '../rfb/messages.js';
import type { UpdateDamage } from '../rfb/update-damage.js';

const ORIGIN = { x: 0, y: 0, width: 1, height: 1 };
/** Milliseconds between requests to a server that has to be kept awake. */
const AWAKE_MS = 30;

/**
 * Requests of one exchange whose answers are granted. The exchange repeats its request after each
 * update that does not end it, and a hostile server could send such updates without an end.
 */
const GRANTED = 4;

interface Barrier {
  readonly done: Deferred<void>;
  reached: boolean;
  /** Requests since it was set up. */
  requests: number;
}

interface Watcher {
  readonly intervalMs: number;
  /** Milliseconds until it can use an update. */
  readonly waitMs: () => number;
}

/**
 * Decides when to request pixels. Without watchers it requests none, so a video playing in the
 * guest costs this process nothing; the next {@link sync} fetches all changes at once.
 *
 * A sync requests all changes and, unconditionally, the pixel at the origin. A server answers a
 * request with everything it knows to have changed. TigerVNC answers only after the frame tick
 * that flushes pending painting (VNCSConnectionST::writeDataUpdate waits while getPendingRegion
 * is not empty), QEMU after it has read the guest's surface. So the update that contains the
 * origin shows everything painted before the server received the request. A fence sent before
 * the request separates that update from earlier ones still in flight. On an idle screen this
 * takes 0.1 ms.
 */
export class UpdateScheduler {
  readonly #connection: Connection;
  readonly #watchers = new Set<Watcher>();
  /** Number of pixels not received yet: all of them at first and after a resize. */
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
    connection.on('update', (update) => this.#onUpdate(update));
    connection.on('close', (error) => {
      clearTimeout(this.#timer);
      this.#barrier?.done.reject(error ?? connectionLost());
    });
  }

  /**
   * Resolves when the framebuffer shows everything that was painted before this call. Concurrent
   * calls share one exchange that starts after them.
   */
  sync(signal?: AbortSignal, timeoutMs = ANSWER_TIMEOUT_MS): Promise<void> {
    return within(this.#shared(), {
      ms: timeoutMs,
      signal,
      onTimeout: () => noAnswer('send an update', timeoutMs),
    });
  }

  /**
   * Requests updates, at most one every `intervalMs` and none for `waitMs()`, until the returned
   * function is called.
   */
  watch(intervalMs: number, waitMs = () => 0): () => void {
    const watcher = { intervalMs, waitMs };
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
    // Without fences, an answer to an earlier request looks like the answer to ours. So send one
    // more request than there may be answers in flight: one to a watcher's request, and one
    // because a server may answer the two parts of our last request separately. QEMU never does.
    const early = fences ? 0 : Number(this.#outstanding) + (scancodes ? 0 : 1);
    const rounds = 1 + early;
    for (let round = 0; round < rounds; round++) await this.#exchange();
  }

  async #exchange(): Promise<void> {
    this.#connection.requireOpen();
    const reached = !this.#connection.can.fences;
    const barrier: Barrier = { done: deferred<void>(), reached, requests: 0 };
    this.#barrier = barrier;
    try {
      if (this.#connection.can.fences) {
        this.#connection.onceReached(() => {
          barrier.reached = true;
        });
      } else this.#wake();
      this.#request();
      await within(barrier.done.promise, {
        ms: ANSWER_TIMEOUT_MS,
        onTimeout: () => noAnswer('send an update', ANSWER_TIMEOUT_MS),
      });
    } finally {
      if (this.#barrier === barrier) this.#barrier = undefined;
    }
  }

  #onUpdate(update: UpdateDamage): void {
    this.#outstanding = false;
    this.#missing -= update.pixels;
    const barrier = this.#barrier;
    if (barrier?.reached && update.origin && this.#missing <= 0) {
      this.#barrier = undefined;
      barrier.done.resolve();
    } else if (barrier !== undefined) {
      // A server may answer with a pseudo-rectangle only and drop the request.
      this.#request();
    }
    this.#pump();
  }

  #request(): void {
    this.#outstanding = true;
    this.#requestedAt = performance.now();
    const barrier = this.#barrier;
    if (barrier !== undefined) barrier.requests += 1;
    const isGranted = barrier === undefined || barrier.requests <= GRANTED;
    this.#connection.requestUpdate(this.#whole(), { isGranted });
  }

  /** What to request unconditionally. */
  #whole(): readonly Region[] {
    if (this.#missing > 0) return [this.#connection.framebuffer.bounds];
    return this.#barrier === undefined ? [] : [ORIGIN];
  }

  #pump(): void {
    clearTimeout(this.#timer);
    if (this.#watchers.size === 0 || !this.#connection.isOpen) return;
    const sleepy = !this.#connection.can.fences;
    if (this.#outstanding && !sleepy) return;
    const passed = performance.now() - this.#requestedAt;
    const waits = [...this.#watchers].map(({ intervalMs, waitMs }) =>
      Math.max((sleepy ? Math.max(intervalMs, AWAKE_MS) : intervalMs) - passed, waitMs()),
    );
    const wait = Math.min(...waits);
    if (wait > 0.5) {
      this.#timer = setTimeout(() => this.#pump(), wait);
      return;
    }
    if (sleepy) this.#wake();
    // A server that reads nothing is disconnected when too much waits for it, also by that message.
    if (!this.#connection.isOpen) return;
    this.#request();
    if (sleepy) this.#pump();
  }

  /**
   * QEMU polls the guest's surface less and less often, down to every 3 s, until a client sends
   * input. The release of a key that does not exist counts as input and has no effect.
   */
  #wake(): void {
    if (this.#connection.can.scancodes) this.#connection.send(scancodeEvent('release', 0, 0));
  }
}

function area(connection: Connection): number {
  const { width, height } = connection.framebuffer.size;
  return width * height;
}
