import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../../../lib/text/error-message.js';
import { availableMemory } from '../../host.js';
import type { Shape } from './key.js';

/** Delay before a build, so that it does not compete with machines that users wait for. */
const DELAY_MS = 20_000;
/** Bytes of host memory that must stay available during a build. */
const RESERVE = 2 * 2 ** 30;

/** Builds of templates that no request waits for, one at a time per shape. */
export class BackgroundBuilds {
  readonly #closing = new AbortController();
  /** By shape. A failed build stays in here and is not repeated. */
  readonly #builds = new Map<string, Promise<unknown>>();
  readonly #onProblem: (message: string) => void;
  readonly #mayBuild: () => Promise<boolean>;
  readonly #delayMs: number;

  /** `mayBuild` is asked before each build. */
  constructor(
    onProblem: (message: string) => void,
    mayBuild: () => Promise<boolean>,
    delayMs = DELAY_MS,
  ) {
    this.#onProblem = onProblem;
    this.#mayBuild = mayBuild;
    this.#delayMs = delayMs;
  }

  /** Runs `build` for this shape after a delay, if the host has enough memory then. */
  schedule<S extends Shape>(
    shape: S,
    build: (shape: S, signal: AbortSignal) => Promise<unknown>,
  ): void {
    const { signal } = this.#closing;
    const key = JSON.stringify([shape.image, shape.cpu, shape.ram, shape.resolution]);
    if (signal.aborted || this.#builds.has(key)) return;
    const work = async () => {
      await sleep(this.#delayMs, undefined, { signal, ref: false });
      if (!(await this.#mayBuild())) return;
      if ((await availableMemory()) < shape.ram * 2 ** 30 + RESERVE) return;
      await build(shape, signal);
    };
    const building = work().then(
      () => this.#builds.delete(key),
      (error) => {
        if (signal.aborted) return;
        this.#onProblem(`A template cannot be built: ${errorMessage(error)}`);
      },
    );
    this.#builds.set(key, building);
  }

  /** Cancels all builds. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#builds.values());
  }
}
