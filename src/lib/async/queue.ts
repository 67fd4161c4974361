import { abortable } from './abort.js';

/** Runs tasks one at a time, in order. */
export class Queue {
  #tail: Promise<unknown> = Promise.resolve();
  #length = 0;

  /** Running and waiting tasks. */
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
