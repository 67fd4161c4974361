import { nextTurn } from './next-turn.js';

/** Divides long work into parts of about `ms` milliseconds, between which other work runs. */
export class TimeSlice {
  readonly #ms: number;
  #end: number;

  constructor(ms: number) {
    this.#ms = ms;
    this.#end = performance.now() + ms;
  }

  get isOver(): boolean {
    return performance.now() > this.#end;
  }

  /** Lets other work of the process run. */
  async next(): Promise<void> {
    await nextTurn();
    this.#end = performance.now() + this.#ms;
  }
}
