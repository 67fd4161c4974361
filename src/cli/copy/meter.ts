import { Transform } from 'node:stream';
import { printable } from '../../lib/text/printable.js';
import type { Progress } from '../output/progress.js';
import { size } from '../output/size.js';

const WIDTH = 24;
const INTERVAL_MS = 100;
/** Bytes on either side of a counter: enough for neither side to wait at each piece. */
const WAITING = 512 * 1024;

/** Counts and shows copied files and bytes. */
export class Meter {
  bytes = 0;
  files = 0;
  readonly #progress: Progress;
  readonly #startedAt = performance.now();
  /** Total bytes; undefined if unknown. */
  #total: number | undefined = 0;
  #name = '';
  #shownAt = 0;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  get seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  /** Starts a file. */
  begin(name: string, size: number | undefined): void {
    this.#name = name;
    this.#total = this.#total === undefined || size === undefined ? undefined : this.#total + size;
    this.files += 1;
    this.#show();
  }

  /** A pass-through stream that counts bytes. */
  counter(): Transform {
    return new Transform({
      highWaterMark: WAITING,
      transform: (chunk: Buffer, _, done) => {
        this.bytes += chunk.length;
        if (performance.now() - this.#shownAt > INTERVAL_MS) this.#show();
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
