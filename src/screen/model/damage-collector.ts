import type { Region } from '../geometry.js';
import { Damage } from './damage.js';
import type { DamageLog } from './damage-log.js';

/** Milliseconds in which changes are collected: about one frame of a viewer's display. */
const COLLECT_MS = 15;

/**
 * Writes what changes on a screen into its log. The first change is written at once, those of the next
 * milliseconds together: a guest can send thousands of updates a second.
 */
export class DamageCollector {
  readonly #log: DamageLog;
  readonly #onChange: () => void;
  readonly #collected = new Damage();
  #writtenAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** `onChange` is called after each change of the log. */
  constructor(log: DamageLog, onChange: () => void) {
    this.#log = log;
    this.#onChange = onChange;
  }

  add(regions: readonly Region[]): void {
    for (const region of regions) this.#collected.add(region);
    if (this.#collected.isEmpty || this.#timer !== undefined) return;
    const wait = this.#writtenAt + COLLECT_MS - performance.now();
    if (wait <= 0) this.#write();
    else this.#timer = setTimeout(() => this.#write(), wait);
  }

  /** Drops everything: the screen has another size. */
  clear(): void {
    this.#collected.clear();
    this.#log.clear();
  }

  /** Writes what was collected; nothing follows. */
  close(): void {
    clearTimeout(this.#timer);
    this.#write();
  }

  #write(): void {
    this.#timer = undefined;
    if (this.#collected.isEmpty) return;
    this.#writtenAt = performance.now();
    this.#log.push(this.#collected.takeAll());
    this.#onChange();
  }
}
