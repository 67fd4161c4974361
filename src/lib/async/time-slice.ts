import { nextTurn } from './next-turn.js';

/** Divides long work of an owner into parts of about `ms` milliseconds, between which other work runs. */
export class TimeSlice {
  readonly #ms: number;
  readonly #ownerId: string | undefined;
  #end: number;

  constructor(ms: number, ownerId?: string) {
    this.#ms = ms;
    this.#ownerId = ownerId;
    this.#end = performance.now() + ms;
  }

  get isOver(): boolean {
    return performance.now() > this.#end;
  }

  /** Lets other work of the process run. */
  async next(): Promise<void> {
    await nextTurn(this.#ownerId);
    this.#end = performance.now() + this.#ms;
  }
}
