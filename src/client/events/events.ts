import type { EVENT_TYPES } from '../../contract/constants.js';
import type { ServiceEvent } from '../../contract/types/index.js';
import { sleep } from '../../lib/async/sleep.js';
import type { Client } from '../client.js';
import { ServiceError, ServiceTimeoutError, ServiceUnreachableError } from '../errors.js';
import type { ByteSource } from '../http/transport.js';

/** A block of an event stream (WHATWG HTML, 9.2.6). One without data is not an event. */
interface EventBlock {
  readonly type: string;
  /** Undefined if the block does not change it. */
  readonly id: string | undefined;
  readonly data: string | undefined;
}

/** Longest line, and the longest data of an event, in UTF-16 units. */
const LONGEST = 1024 * 1024;

/** Parses the blocks of an event stream; an incomplete one at its end is dropped. */
export async function* parseEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<EventBlock> {
  const decoder = new TextDecoder();
  let rest = '';
  let block = new Block();
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    // A CR at the end may be the first half of a CRLF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST) throw new RangeError('a line of the event stream is too long');
    for (const line of lines) {
      if (line !== '') {
        block.add(line);
        continue;
      }
      if (block.isEmpty) continue;
      yield block.end();
      block = new Block();
    }
  }
}

class Block {
  #type = 'message';
  #id: string | undefined;
  #data: string | undefined;

  get isEmpty(): boolean {
    return this.#id === undefined && this.#data === undefined;
  }

  add(line: string): void {
    const [, name, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === 'event') this.#type = value;
    else if (name === 'id') this.#id = value;
    else if (name === 'data') {
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      if (this.#data.length > LONGEST) throw new RangeError('an event of the stream is too long');
    }
  }

  end(): EventBlock {
    return { type: this.#type, id: this.#id, data: this.#data };
  }
}

/** An event that happened; `reset` is not asked for. */
export type EventType = (typeof EVENT_TYPES)[number];

export interface EventsOptions {
  /** Only events of the project with this name or id, and its computers. */
  readonly project?: string | undefined;
  /** Only events of the computers with this name or id. */
  readonly computer?: string | undefined;
  /** Only events of these types; all by default. */
  readonly types?: readonly EventType[] | undefined;
  /** Continues after the event with this id, for example {@link ServiceEvents.lastEventId}. */
  readonly lastEventId?: string | undefined;
  /** Aborting it ends the stream, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Without a byte in this time the connection is lost: the service sends something every 15 s. */
const SILENT_MS = 45_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/**
 * The events of the key's owner, without end. A lost connection is opened again and continues after
 * the last event, also after a restart of the service. If events were lost meanwhile, the next one is
 * `reset`.
 */
export class ServiceEvents implements AsyncIterable<ServiceEvent> {
  readonly #client: Client;
  readonly #options: EventsOptions;
  #lastEventId: string | undefined;
  #waiting: Promise<Stream> | undefined;

  constructor(client: Client, options: EventsOptions = {}) {
    this.#client = client;
    this.#options = options;
    this.#lastEventId = options.lastEventId;
  }

  /** From where another stream would continue; undefined before the service has answered. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  /**
   * Resolves when the stream is open: events from now on are not missed, also those before the loop
   * over it begins, and {@link lastEventId} is known. The loop opens it otherwise. Ends with `signal`
   * and {@link close}.
   * @throws as the loop
   */
  async open(): Promise<this> {
    this.#waiting ??= this.#begin();
    const waiting = this.#waiting;
    await waiting.catch((error: unknown) => {
      if (this.#waiting === waiting) this.#waiting = undefined;
      throw error;
    });
    return this;
  }

  /** Closes a stream that is open and not read; leaving a loop closes the one that it reads. */
  async close(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    const stream = await waiting?.catch(() => undefined);
    stream?.body.destroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * @throws ServiceError the service refuses, for example because the key was revoked
   * @throws ServiceUnreachableError nothing answers the first time
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<ServiceEvent, never> {
    const { signal } = this.#options;
    let isConnected = false;
    for (let failures = 0; ; failures++) {
      try {
        const { blocks } = await this.#taken();
        isConnected = true;
        for await (const { id, data } of blocks) {
          failures = 0;
          if (id !== undefined) this.#lastEventId = id;
          if (data !== undefined) yield JSON.parse(data) as ServiceEvent;
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (!isConnected || !isPassing(error)) throw error;
      }
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
      // Without jitter, clients of a service that restarts would return together.
      await sleep(pause * (0.75 + Math.random() / 2), signal);
    }
  }

  /** The stream that {@link open} has left, or else a new one. */
  async #taken(): Promise<Stream> {
    const waiting = await this.#waiting;
    // After one that another loop has overtaken, events would be repeated.
    if (waiting !== undefined && waiting.from !== this.#lastEventId) await this.close();
    const opened = this.#waiting ?? this.#open();
    this.#waiting = undefined;
    return opened;
  }

  /** Opens a stream and reads its position, which the service tells first. */
  async #begin(): Promise<Stream> {
    const stream = await this.#open();
    if (this.#lastEventId !== undefined) return stream;
    const { value: first } = await stream.blocks.next().catch((cause: unknown) => {
      this.#options.signal?.throwIfAborted();
      if (!(cause instanceof LostConnection)) throw cause;
      return { value: undefined };
    });
    if (first === undefined) {
      throw new ServiceUnreachableError(this.#client.baseUrl, 'the connection was lost');
    }
    if (first.data === undefined) this.#lastEventId = first.id;
    return { ...stream, from: this.#lastEventId, blocks: startingWith(first, stream.blocks) };
  }

  async #open(): Promise<Stream> {
    const { project, computer, types, signal } = this.#options;
    const lastEventId = this.#lastEventId;
    const { body } = await this.#client.exchange({
      method: 'GET',
      path: '/events',
      signal,
      silentMs: SILENT_MS,
      query: { project, computer, types: types?.join(',') },
      headers: {
        accept: 'text/event-stream',
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
    });
    return { from: lastEventId, body, blocks: parseEvents(connected(body)) };
  }
}

/** An open stream, and the event that it continues after. */
interface Stream {
  readonly from: string | undefined;
  readonly body: ByteSource;
  readonly blocks: AsyncGenerator<EventBlock>;
}

async function* startingWith(
  first: EventBlock,
  others: AsyncGenerator<EventBlock>,
): AsyncGenerator<EventBlock> {
  try {
    yield first;
    yield* others;
  } finally {
    await others.return(undefined);
  }
}

/** The connection was lost while it was read. */
class LostConnection extends Error {}

async function* connected(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await chunks.next().catch((cause: unknown) => {
        throw new LostConnection('the connection was lost', { cause });
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await chunks.return?.();
  }
}

/** True for a failure that may be over later. */
function isPassing(error: unknown): boolean {
  if (error instanceof LostConnection || error instanceof ServiceTimeoutError) return true;
  if (error instanceof ServiceError) return [429, 502, 503, 504].includes(error.status);
  if (!(error instanceof ServiceUnreachableError)) return false;
  return error.status === undefined || [429, 502, 503, 504].includes(error.status);
}
