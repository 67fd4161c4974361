import { Readable } from 'node:stream';
import type { EventSubscription, PositionedEvent } from '../../fleet/events/events.js';

/** A quiet stream is kept alive with a comment, which also tells the client its position. */
export const HEARTBEAT_MS = 15_000;
/** How long a client waits before it reconnects, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * A subscription as server-sent events (WHATWG HTML, 9.2). Nothing is kept in memory for a slow
 * client: its next events are read from the store when it has room for them.
 */
export class EventStream extends Readable {
  readonly #subscription: EventSubscription;
  readonly #unsubscribe: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #hasRoom = false;

  /**
   * `onAdded` calls its argument when there may be new events, until the returned function is called.
   */
  constructor(subscription: EventSubscription, onAdded: (added: () => void) => () => void) {
    super({ highWaterMark: 64 * 1024 });
    this.#subscription = subscription;
    this.#unsubscribe = onAdded(() => this.#fill());
    this.#heartbeat = setInterval(() => {
      if (this.#hasRoom) this.#send(`: heartbeat\n${idLine(subscription.position)}\n`);
    }, HEARTBEAT_MS);
    // The id is where to continue if the connection is lost before the first event.
    this.push(`retry: ${RETRY_MS}\n${idLine(subscription.position)}\n`);
  }

  override _read(): void {
    this.#hasRoom = true;
    this.#fill();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearInterval(this.#heartbeat);
    this.#unsubscribe();
    this.#subscription.close();
    done(error);
  }

  #fill(): void {
    if (!this.#hasRoom || this.destroyed) return;
    try {
      const events = this.#subscription.read();
      if (events.length > 0) this.#send(events.map(textOf).join(''));
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  #send(text: string): void {
    this.#hasRoom = false;
    this.push(text);
  }
}

function textOf({ position, event }: PositionedEvent): string {
  return `event: ${event.type}\n${idLine(position)}data: ${JSON.stringify(event)}\n\n`;
}

function idLine(position: string): string {
  return `id: ${position}\n`;
}
