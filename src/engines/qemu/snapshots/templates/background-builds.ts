import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from '../../../../lib/async/queue.js';
import { errorMessage } from '../../../../lib/text/error-message.js';
import { availableMemory } from '../../../pool/memory.js';
import type { Shape } from './store.js';

/** Delay before a build, so that it does not compete with machines that users wait for. */
const DELAY_MS = 20_000;
/** Bytes of host memory that must stay available during a build. */
const RESERVE = 2 * 2 ** 30;
/**
 * No template is built automatically beyond this number. Each takes about as much disk space as its
 * machines use memory, and an owner can request any number of shapes.
 */
export const MOST_AUTOMATIC = 24;

/** Maximum number of failed builds to remember. */
const MOST_FAILED = 1000;

/** For tests. */
export interface BackgroundBuildsTuning {
  readonly delayMs?: number;
  /** Bytes of host memory that are available. */
  memory?(): Promise<number>;
}

interface BackgroundBuildsOptions extends BackgroundBuildsTuning {
  onProblem(message: string): void;
  /** Counts the templates, before each build. */
  count(): Promise<number>;
}

/**
 * Builds of templates that no request waits for, one at a time: a build counts towards the limits
 * that the next one is checked against.
 */
export class BackgroundBuilds {
  readonly #closing = new AbortController();
  /** By shape. */
  readonly #builds = new Map<string, Promise<void>>();
  /** Shapes whose build failed, which is not repeated. */
  readonly #failed = new Set<string>();
  readonly #queue = new Queue();
  readonly #onProblem: (message: string) => void;
  readonly #count: () => Promise<number>;
  readonly #memory: () => Promise<number>;
  readonly #delayMs: number;

  constructor({
    onProblem,
    count,
    memory = availableMemory,
    delayMs = DELAY_MS,
  }: BackgroundBuildsOptions) {
    this.#onProblem = onProblem;
    this.#count = count;
    this.#memory = memory;
    this.#delayMs = delayMs;
    // Any number of shapes may wait for their delay.
    setMaxListeners(0, this.#closing.signal);
  }

  /**
   * Runs `build` for this shape after a delay, if there are few templates and the host has enough
   * memory then. Resolves when that has ended, successful or not.
   */
  async schedule<S extends Shape>(
    shape: S,
    build: (shape: S, signal: AbortSignal) => Promise<unknown>,
  ): Promise<void> {
    const { signal } = this.#closing;
    const key = JSON.stringify([shape.image, shape.cpu, shape.ram, shape.resolution]);
    const running = this.#builds.get(key);
    if (signal.aborted || running !== undefined || this.#failed.has(key)) return running;
    const work = async () => {
      await sleep(this.#delayMs, undefined, { signal, ref: false });
      await this.#queue.run(async () => {
        signal.throwIfAborted();
        if ((await this.#count()) >= MOST_AUTOMATIC) return;
        if ((await this.#memory()) < shape.ram * 2 ** 30 + RESERVE) return;
        await build(shape, signal);
      });
    };
    const building = work()
      .catch((error) => {
        if (signal.aborted) return;
        this.#remember(key);
        this.#onProblem(`A template cannot be built: ${errorMessage(error)}`);
      })
      .finally(() => this.#builds.delete(key));
    this.#builds.set(key, building);
    return building;
  }

  #remember(failed: string): void {
    this.#failed.add(failed);
    const [oldest] = this.#failed;
    if (oldest !== undefined && this.#failed.size > MOST_FAILED) this.#failed.delete(oldest);
  }

  /** Cancels all builds. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#builds.values());
  }
}
