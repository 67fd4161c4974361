import type { Duplex } from 'node:stream';
import type { Client, ClientChannel } from 'ssh2';

/** Unsent bytes above which the data of channels waits. */
const MOST_UNSENT = 1024 * 1024;

/**
 * Makes the data of channels wait while the guest does not read, or exchanges keys. ssh2 counts data as
 * written as soon as the window of the channel allows it, and the guest may grant any window; it queues
 * all data during an exchange of keys.
 */
export class SendLimit {
  readonly #stream: Duplex;
  readonly #isExchanging: () => boolean;
  /** Writes that wait, one per channel at most. */
  readonly #waiting = new Map<ClientChannel, () => void>();

  constructor(client: Client, stream: Duplex, isExchanging: () => boolean) {
    this.#stream = stream;
    this.#isExchanging = isExchanging;
    stream.on('drain', () => this.#continue());
    client.on('handshake', () => this.#continue());
  }

  /** Call before anything is written to the channel. */
  add(channel: ClientChannel): void {
    const write = channel._write.bind(channel);
    channel._write = (chunk, encoding, done) => {
      const begin = () => write(chunk, encoding, done);
      // Behind others, so that each channel has its turn.
      if (this.#waiting.size > 0 || !this.#hasRoom) this.#waiting.set(channel, begin);
      else begin();
    };
    channel.once('close', () => this.#waiting.delete(channel));
  }

  get #hasRoom(): boolean {
    return this.#stream.writableLength <= MOST_UNSENT && !this.#isExchanging();
  }

  #continue(): void {
    for (const [channel, begin] of this.#waiting) {
      if (!this.#hasRoom) return;
      this.#waiting.delete(channel);
      begin();
    }
  }
}
