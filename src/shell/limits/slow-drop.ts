import type { ClientChannel } from 'ssh2';
import { TokenBucket } from '../../lib/async/token-bucket.js';

/** Bytes at once, and per second after that. A program that prints more waits for its turn. */
const MOST_BYTES = 4 << 20;
const BYTES_PER_SECOND = 1 << 20;

type Output = ClientChannel | ClientChannel['stderr'];

/**
 * Drops the output of channels at once, and lets the guest send more of it slowly, because nobody
 * wants it.
 */
export class SlowDrop {
  readonly #bytes = new TokenBucket(MOST_BYTES, BYTES_PER_SECOND);

  add(channel: ClientChannel): void {
    for (const output of [channel, channel.stderr]) this.#drop(output);
  }

  #drop(output: Output): void {
    output.removeAllListeners('data');
    output.resume();
    const push = output.push.bind(output);
    let isWaiting = false;
    output.push = (chunk: Buffer | null) => {
      if (chunk === null) return push(null);
      this.#bytes.take(chunk.length);
      const { debtMs } = this.#bytes;
      if (!isWaiting && debtMs > 0) {
        isWaiting = true;
        // ssh2 opens the window again when the output is read.
        const read = () => {
          isWaiting = false;
          output._read(0);
        };
        setTimeout(read, debtMs).unref();
      }
      return !isWaiting;
    };
  }
}
