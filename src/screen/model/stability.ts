import { within } from '../../lib/async/deadline.js';
import { deferred } from '../../lib/async/deferred.js';
import { requireOnScreen } from '../errors.js';
import { intersects, type Region } from '../geometry.js';
import type { Connection } from '../rfb/connection.js';
import type { UpdateDamage } from '../rfb/update-damage.js';
import type { QuietOptions, SettleOptions } from '../types.js';
import type { UpdateScheduler } from './update-scheduler.js';

/** A screen without changes for this long is stable; shorter than the blink of most carets. */
const STABLE_MS = 450;
/** Milliseconds between updates while a caller waits for the screen. */
const LOOK_MS = 15;
/** The same while waiting for the guest's reaction to an input. */
const CLOSE_LOOK_MS = 4;

/**
 * How long a screenshot waits for the guest's reaction to the last input, in milliseconds since
 * that input. If nothing is painted by `first`, the input changed nothing. Otherwise it waits
 * until nothing changed for `quiet`, but no longer than `most`.
 *
 * A terminal reacts to a key within 5 ms and a browser within two frames; 25 ms of quiet spans
 * one frame of 16.7 ms. An emulated display is polled every 30 ms only.
 */
const AFTER_INPUT = {
  direct: { first: 40, quiet: 25, most: 200 },
  emulated: { first: 120, quiet: 70, most: 350 },
} as const;

/** Milliseconds that {@link Stability.settled} waits for the first change after an input. */
const FIRST_CHANGE_MS = { direct: 150, emulated: 300 } as const;

/** Waits for the screen to change or to stop changing. */
export class Stability {
  readonly #connection: Connection;
  readonly #updates: UpdateScheduler;

  constructor(connection: Connection, updates: UpdateScheduler) {
    this.#connection = connection;
    this.#updates = updates;
  }

  /** Waits for the guest's reaction to an input sent at `inputAt` (performance.now). */
  async afterInput(inputAt: number, signal?: AbortSignal): Promise<void> {
    const { fences } = this.#connection.can;
    const { first, quiet, most } = fences ? AFTER_INPUT.direct : AFTER_INPUT.emulated;
    if (performance.now() >= inputAt + most) return;
    const before = this.#connection.framebuffer.version;
    await this.#updates.sync(signal);
    const painted = this.#connection.framebuffer.version !== before;
    await this.#quiet({
      end: inputAt + most,
      quietMs: quiet,
      firstBy: painted ? performance.now() + quiet : inputAt + first,
      lookMs: CLOSE_LOOK_MS,
      signal,
    });
  }

  /** The same with the caller's limits; see Screen.settle. */
  async settled(inputAt: number, options: QuietOptions): Promise<boolean> {
    const { quietMs, maxMs, signal } = options;
    const end = performance.now() + maxMs;
    const first = FIRST_CHANGE_MS[this.#connection.can.fences ? 'direct' : 'emulated'];
    const before = this.#connection.framebuffer.version;
    await this.#updates.sync(signal);
    const painted = this.#connection.framebuffer.version !== before;
    const firstBy = painted
      ? performance.now() + quietMs
      : Math.max(inputAt + first, performance.now() + quietMs);
    return this.#quiet({ end, quietMs, firstBy, lookMs: CLOSE_LOOK_MS, signal });
  }

  /** True when nothing in the region has changed for about half a second. */
  async stable(options: SettleOptions): Promise<boolean> {
    requireOnScreen(options.region, this.#connection.framebuffer.size);
    const end = performance.now() + options.timeoutMs;
    await this.#updates.sync(options.signal);
    return this.#quiet({
      end,
      quietMs: STABLE_MS,
      firstBy: performance.now() + STABLE_MS,
      lookMs: LOOK_MS,
      region: options.region,
      signal: options.signal,
    });
  }

  /** True when something in the region has changed since the call. */
  async change(options: SettleOptions): Promise<boolean> {
    requireOnScreen(options.region, this.#connection.framebuffer.size);
    const end = performance.now() + options.timeoutMs;
    await this.#updates.sync(options.signal);
    return this.#damaged({ ...options, timeoutMs: end - performance.now() }, LOOK_MS);
  }

  /** Resolves on the next change of the screen, or after `timeoutMs`. */
  async firstDamage(timeoutMs: number): Promise<void> {
    await this.#damaged({ timeoutMs }, CLOSE_LOOK_MS);
  }

  /** Resolves when nothing has changed for `quietMs`, or after `mostMs`. */
  async quiet(quietMs: number, mostMs: number): Promise<void> {
    const now = performance.now();
    await this.#quiet({
      end: now + mostMs,
      quietMs,
      firstBy: now + quietMs,
      lookMs: CLOSE_LOOK_MS,
    });
  }

  async #damaged(options: SettleOptions, lookMs: number): Promise<boolean> {
    const changed = deferred<boolean>();
    const stop = this.#onDamage(options.region, lookMs, () => changed.resolve(true), changed);
    const timer = setTimeout(() => changed.resolve(false), Math.max(0, options.timeoutMs));
    try {
      return await within(changed.promise, this.#limits(options.timeoutMs, options.signal));
    } finally {
      clearTimeout(timer);
      stop();
    }
  }

  /** True when nothing changed for `quietMs`, false when `end` came first. */
  async #quiet(wait: {
    readonly end: number;
    readonly quietMs: number;
    readonly firstBy: number;
    readonly lookMs: number;
    readonly region?: Region | undefined;
    readonly signal?: AbortSignal | undefined;
  }): Promise<boolean> {
    const settled = deferred<boolean>();
    let due = wait.firstBy;
    let timer: NodeJS.Timeout | undefined;
    const arm = () => {
      clearTimeout(timer);
      const at = Math.min(due, wait.end);
      timer = setTimeout(
        () => settled.resolve(due <= wait.end),
        Math.max(0, at - performance.now()),
      );
    };
    const stop = this.#onDamage(
      wait.region,
      wait.lookMs,
      () => {
        due = performance.now() + wait.quietMs;
        arm();
      },
      settled,
    );
    arm();
    const left = Math.max(0, wait.end - performance.now());
    try {
      return await within(settled.promise, this.#limits(left, wait.signal));
    } finally {
      clearTimeout(timer);
      stop();
    }
  }

  #limits(timeoutMs: number, signal: AbortSignal | undefined) {
    // A backstop: the timers of the waits themselves are the deadline.
    return {
      ms: timeoutMs + 1000,
      signal,
      onTimeout: () => new Error('the wait outlived its timer'),
    };
  }

  #onDamage(
    region: Region | undefined,
    lookMs: number,
    act: () => void,
    ended: { reject(reason: unknown): void },
  ): () => void {
    const stopWatching = this.#updates.watch(lookMs);
    const onUpdate = ({ damage }: UpdateDamage) => {
      if (damage.some((part) => region === undefined || intersects(part, region))) act();
    };
    const onClose = (error: Error | undefined) => ended.reject(error);
    this.#connection.on('update', onUpdate);
    this.#connection.on('close', onClose);
    return () => {
      stopWatching();
      this.#connection.off('update', onUpdate);
      this.#connection.off('close', onClose);
    };
  }
}
