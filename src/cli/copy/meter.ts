import { Transform } from 'node:stream';
import type { Progress } from '../progress.js';
import { size } from '../size.js';
import { printable } from '../style.js';

const WIDTH = 24;
const EVERY_MS = 100;

/** Counts what is copied, and shows it. */
export class Meter {
  bytes = 0;
  files = 0;
  readonly #progress: Progress;
  readonly #begun = performance.now();
  /** Bytes that are known to come, if they are. */
  #total: number | undefined = 0;
  #name = '';
  #shownAt = 0;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  get seconds(): number {
    return (performance.now() - this.#begun) / 1000;
  }

  /** A file begins. */
  begin(name: string, size: number | undefined): void {
    this.#name = name;
    this.#total = this.#total === undefined || size === undefined ? undefined : this.#total + size;
    this.files += 1;
    this.#show();
  }

  /** A stream that counts what passes. */
  counter(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _, done) => {
        this.bytes += chunk.length;
        if (performance.now() - this.#shownAt > EVERY_MS) this.#show();
        done(null, chunk);
      },
    });
  }

  #show(): void {
    this.#shownAt = performance.now();
    const speed = `${size(this.bytes / Math.max(this.seconds, 0.001))}/s`;
    const done = this.#total ? Math.min(1, this.bytes / this.#total) : 0;
    const full = Math.round(done * WIDTH);
    const bar = this.#total ? `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ` : '';
    const of = this.#total ? ` of ${size(this.#total)}` : '';
    const name = printable([...this.#name].slice(-30).join(''));
    this.#progress.update(`${bar}${size(this.bytes)}${of}, ${speed}  ${name}`);
  }
}
