import type { ClientChannel } from 'ssh2';
import { TokenBucket } from '../../lib/async/token-bucket.js';

/** Bytes at once, and per second after that. A program that prints more waits for its turn. */
const MOST_BYTES = 4 << 20;
const BYTES_PER_SECOND = 1 << 20;

/** Reads the output of channels and drops it: slowly, because nobody wants it. */
export class SlowDrop {
  readonly #bytes = new TokenBucket(MOST_BYTES, BYTES_PER_SECOND);

  add(channel: ClientChannel): void {
    for (const output of [channel, channel.stderr]) {
      output.removeAllListeners('data');
      output.on('data', ({ length }: Buffer) => {
        this.#bytes.take(length);
        const { debtMs } = this.#bytes;
        if (debtMs === 0) return;
        output.pause();
        setTimeout(() => output.resume(), debtMs).unref();
      });
      output.resume();
    }
  }
}
