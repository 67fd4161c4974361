import { abortable } from './time.js';

/** Runs tasks one after the other, in the order in which they came. */
export class Queue {
  #tail: Promise<unknown> = Promise.resolve();
  #length = 0;

  /** Tasks that run or wait. */
  get length(): number {
    return this.#length;
  }

  /** A task whose signal is aborted while it waits never starts. */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = this.#tail.then(() => {
      signal?.throwIfAborted();
      return task();
    });
    this.#tail = turn.catch(() => undefined);
    this.#length += 1;
    void this.#tail.then(() => {
      this.#length -= 1;
    });
    return abortable(turn, signal);
  }
}
