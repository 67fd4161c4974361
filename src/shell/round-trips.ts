import type { Client } from 'ssh2';
import { violated } from './connection-errors.js';

/** Most at once; a command needs one after its exit. */
const MOST = 2048;

/** Requests without effect, whose replies show that sshd has processed everything before them. */
export class RoundTrips {
  readonly #client: Client;
  readonly #fail: (error: Error) => void;
  #waiting = 0;

  constructor(client: Client, fail: (error: Error) => void) {
    this.#client = client;
    this.#fail = fail;
  }

  begin(done: () => void): void {
    if (this.#waiting === MOST) {
      this.#fail(violated('it did not reply to requests'));
      return;
    }
    this.#waiting += 1;
    try {
      // sshd only replies that there is no such forwarding.
      this.#client.unforwardIn('127.0.0.1', 1, () => {
        this.#waiting -= 1;
        done();
      });
    } catch {
      // The connection has just ended; `onEnd` reports it.
    }
  }
}
