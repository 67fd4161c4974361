import { ApiError } from '../../contract/errors.js';
import type { EventsQuery, ServiceEvent } from '../../contract/events.js';
import type { Log } from '../../lib/log.js';
import { errorMessage } from '../../lib/text/error-message.js';
import type { Owner } from '../accounts/api-keys.js';
import type { EventFilter, EventKind, EventRow } from '../store/events/events.js';
import type { Store } from '../store/index.js';
import { serializeEvent } from './serializer.js';

/** Subscriptions of one owner. */
const MOST = 64;
/** Events that are read at once. */
const PAGE = 100;

/** An event and the position after it. */
export interface PositionedEvent {
  readonly position: string;
  readonly event: ServiceEvent;
}

/** Reads an owner's events one after the other. */
export interface EventSubscription {
  /** Where it is: a subscription from there misses nothing and repeats nothing. */
  readonly position: string;
  /** The next events, the oldest first; none if there are no new ones. */
  read(): PositionedEvent[];
  /** Idempotent. */
  close(): void;
}

/**
 * The events of all owners, in the order in which they happened. They are in the store, written with
 * the change itself, so a subscription can continue after a restart or a crash of the service.
 */
export class Events {
  readonly #store: Store;
  /** Open subscriptions by owner. */
  readonly #subscriptions = new Map<string, number>();

  constructor(store: Store, log: Log) {
    this.#store = store;
    store.written.subscribe(() => {
      try {
        store.events.tidy();
      } catch (error) {
        // A full disk; tried again with the next event.
        log.warn({ reason: errorMessage(error) }, 'old events cannot be dropped');
      }
    });
  }

  /** Calls `listener` when the owner may have new events; returns a function that removes it. */
  onAdded({ id }: Pick<Owner, 'id'>, listener: () => void): () => void {
    return this.#store.written.subscribeTo(id, listener);
  }

  /** The same for events other than actions, and for other changes of its computers. */
  onChanged({ id }: Pick<Owner, 'id'>, listener: () => void): () => void {
    return this.#store.written.subscribeTo(id, (isChange) => {
      if (isChange) listener();
    });
  }

  /**
   * Subscribes from `position` on, by default from now on. If events after it were dropped, the first
   * one is `reset`. Throws `rate_limited` at the limit, `invalid_request` for a malformed position.
   */
  subscribe(owner: Owner, query: EventsQuery, position?: string): EventSubscription {
    const start = position === undefined ? undefined : parse(position);
    const count = this.#subscriptions.get(owner.id) ?? 0;
    if (count >= MOST) {
      const message = `You have too many open event streams; the limit is ${MOST}.`;
      throw new ApiError('rate_limited', message, {
        remedy: 'Close another one first, or use one stream for several computers.',
      });
    }
    this.#subscriptions.set(owner.id, count + 1);
    const { events } = this.#store;
    const filter = { ...filterOf(query), within: owner.projectId };
    const isForeign = start !== undefined && start.epoch !== events.epoch;
    // Of another state of the service, or from its future: what happened since is not known.
    let isLost = isForeign || (start?.id ?? 0) > events.lastId();
    let after = start === undefined || isLost ? events.lastId() : start.id;
    let isOpen = true;
    const positionAt = (id: number) => `${events.epoch}-${id}`;
    return {
      get position() {
        // Until the loss was reported, to continue from here reports it again.
        return isLost && position !== undefined ? position : positionAt(after);
      },
      read: () => {
        const last = events.lastId();
        if (isLost || events.droppedUpTo(owner.id, filter.kinds) > after) {
          isLost = false;
          after = last;
          return [{ position: positionAt(last), event: reset() }];
        }
        const rows = events.list(owner.id, filter, { after, last, limit: PAGE });
        after = rows.length < PAGE ? last : (rows.at(-1)?.id ?? last);
        return rows.map((row) => positioned(row, positionAt(row.id)));
      },
      close: () => {
        if (!isOpen) return;
        isOpen = false;
        const left = (this.#subscriptions.get(owner.id) ?? 1) - 1;
        if (left === 0) this.#subscriptions.delete(owner.id);
        else this.#subscriptions.set(owner.id, left);
      },
    };
  }
}

function positioned(row: EventRow, position: string): PositionedEvent {
  return { position, event: serializeEvent(row) };
}

function reset(): ServiceEvent {
  const reason = 'Events since the last one are no longer kept. Read the lists again.';
  return { type: 'reset', at: new Date().toISOString(), reason };
}

function parse(position: string): { epoch: string; id: number } {
  const [, epoch = '', id = ''] = /^([0-9a-f]{8})-(\d{1,15})$/.exec(position) ?? [];
  if (epoch !== '') return { epoch, id: Number(id) };
  throw new ApiError('invalid_request', 'Last-Event-ID is not the id of an event.', {
    remedy: 'Send the id of the last event, or leave the header out.',
  });
}

function filterOf({ types, project, computer }: EventsQuery): Omit<EventFilter, 'within'> {
  const kinds: EventKind[] = [];
  if (types === undefined || types.includes('action')) kinds.push('action');
  if (types === undefined || types.some((type) => type !== 'action')) kinds.push('change');
  return { kinds, types, project, computer };
}
