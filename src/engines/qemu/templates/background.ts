import { setTimeout as sleep } from 'node:timers/promises';
import { spareMemory } from '../host.js';
import type { Shape } from './key.js';

/** A computer that somebody waits for comes first. */
const PATIENCE_MS = 20_000;
/** Memory in bytes that must remain to the host while a template is made that nobody waits for. */
const RESERVE = 2 * 2 ** 30;

/** Templates that are made although nobody waits for them, one of a shape at a time. */
export class BackgroundBuilds {
  readonly #closing = new AbortController();
  /** By shape; failed ones are not tried again by themselves. */
  readonly #under = new Map<string, Promise<unknown>>();
  readonly #onProblem: (message: string) => void;

  constructor(onProblem: (message: string) => void) {
    this.#onProblem = onProblem;
  }

  /** Lets `build` make one of this shape after a while, if the host has memory to spare then. */
  begin<S extends Shape>(
    shape: S,
    build: (shape: S, signal: AbortSignal) => Promise<unknown>,
  ): void {
    const { signal } = this.#closing;
    const name = JSON.stringify([shape.image, shape.cpu, shape.ram, shape.resolution]);
    if (signal.aborted || this.#under.has(name)) return;
    const work = async () => {
      await sleep(PATIENCE_MS, undefined, { signal, ref: false });
      if ((await spareMemory()) < shape.ram * 2 ** 30 + RESERVE) return;
      await build(shape, signal);
    };
    const building = work().then(
      () => this.#under.delete(name),
      (error) => {
        if (signal.aborted) return;
        const words = error instanceof Error ? error.message : String(error);
        this.#onProblem(`A template could not be made: ${words}`);
      },
    );
    this.#under.set(name, building);
  }

  /** Gives up what is being made. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#under.values());
  }
}
