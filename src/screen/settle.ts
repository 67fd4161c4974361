import { offScreen } from './errors.js';
import { contains, intersects } from './framebuffer.js';
import type { Connection } from './rfb/connection.js';
import type { UpdateSummary } from './rfb/summary.js';
import type { QuietOptions, Region, SettleOptions } from './types.js';
import type { Updates } from './updates.js';
import { deferred, within } from './wait.js';

/** A screen that has not changed for so long is stable; shorter than the blink of most carets. */
const STABLE_MS = 450;
/** Milliseconds between looks while a caller waits for the screen. */
const LOOK_MS = 15;
/** The same while the answer to an input is awaited. */
const CLOSE_LOOK_MS = 4;

/**
 * How long a picture that follows an input waits for the program's answer to that input, in
 * milliseconds since the input. Nothing painted by `first`: the input changed nothing. Once
 * something is: until nothing more came for `quiet`, or `most` is over. A picture that comes
 * later than `most` after the last input waits for nothing.
 *
 * A terminal answers a key within 5 ms and a browser within two of its frames; 25 ms of quiet
 * spans one frame of 16.7 ms. An emulated display is looked at every 30 ms only.
 */
const AFTER_INPUT = {
  direct: { first: 40, quiet: 25, most: 200 },
  emulated: { first: 120, quiet: 70, most: 350 },
} as const;

/** How long the first change after an input is awaited when a caller asks to settle, milliseconds. */
const FIRST_CHANGE_MS = { direct: 150, emulated: 300 } as const;

/** Waits for what the screen does. */
export class Settling {
  readonly #connection: Connection;
  readonly #updates: Updates;

  constructor(connection: Connection, updates: Updates) {
    this.#connection = connection;
    this.#updates = updates;
  }

  /** Lets the guest answer an input that came at `inputAt` (performance.now). */
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

  /** Lets the guest answer an input that came at `inputAt`, as the caller asks for; see Screen.settle. */
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
    this.#requireOnScreen(options.region);
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
    this.#requireOnScreen(options.region);
    const end = performance.now() + options.timeoutMs;
    await this.#updates.sync(options.signal);
    return this.#damaged({ ...options, timeoutMs: end - performance.now() }, LOOK_MS);
  }

  /** Resolves when the screen changes from what was last known, or after `timeoutMs`. */
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

  /** True when there was quiet, false when `end` came first. */
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
    // The timers of the waits themselves are the deadline; this one only backs them up.
    return {
      timeoutMs: timeoutMs + 1000,
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
    const onUpdate = ({ damage }: UpdateSummary) => {
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

  #requireOnScreen(region: Region | undefined): void {
    const { size } = this.#connection.framebuffer;
    if (region === undefined || contains(size, region)) return;
    const { x, y, width, height } = region;
    throw offScreen(`the region ${x},${y},${width},${height}`, size);
  }
}
