import type { AddressRules } from '../../broadcast/index.js';
import { ApiError } from '../../contract/errors.js';
import { type ServiceEvent, typesMatching } from '../../contract/events.js';
import { onAbort } from '../../lib/async/abort.js';
import { KeyedQueue } from '../../lib/async/keyed-queue.js';
import type { Log } from '../../lib/log.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { generateId } from '../computers/ids.js';
import { serializeEvent } from '../events/serializer.js';
import type { Store } from '../store/index.js';
import type { DeliveryRecord, WebhookRecord } from '../store/webhooks.js';
import { post } from './post.js';

/** Pauses before further attempts, in seconds: less than a day in all. */
const PAUSES = [1, 5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 21_600, 32_400];
/** Deliveries of a webhook to come. Further events wait where they are, in the store. */
const MOST_PENDING = 100;
/** Events after which the position of a webhook is written that wanted none of them. */
const SAVE_EVERY = 500;
/** Milliseconds until a webhook is tried again whose rows cannot be written. */
const RETRY_MS = 10_000;

export interface DeliveriesParts {
  readonly store: Store;
  readonly rules: AddressRules;
  readonly log: Log;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  /** Milliseconds for an attempt; replaced in tests. */
  readonly attemptMs?: number | undefined;
}

/** A webhook that is served. */
interface Served {
  /** Removes the listener of its owner's events. */
  readonly forget: () => void;
  /** Aborted when the webhook is deleted. */
  readonly ended: AbortController;
  position: number;
  isWorking: boolean;
  timer?: NodeJS.Timeout;
}

/**
 * Posts events to webhooks. Each webhook has one request at a time, so that a slow target delays only
 * its own. Deliveries are in the store, and so are the events that have none yet: a restart of the
 * service loses nothing, and repeats what was not recorded.
 */
export class Deliveries {
  readonly #parts: DeliveriesParts;
  readonly #served = new Map<string, Served>();
  /** Attempts of a webhook, and tests of it, one at a time. */
  readonly #attempts = new KeyedQueue();

  constructor(parts: DeliveriesParts) {
    this.#parts = parts;
    onAbort(parts.stopping, () => {
      for (const id of this.#served.keys()) this.forget(id);
    });
    for (const webhook of parts.store.webhooks.listActive()) this.serve(webhook);
  }

  /** Begins to post what happens from the webhook's position on. */
  serve({ id, owner_id, position, events }: WebhookRecord): void {
    const { store, stopping } = this.#parts;
    if (stopping.aborted) return;
    const wantsActions = typesOf({ events }).includes('action');
    const forget = store.written.subscribeTo(owner_id, (isChange) => {
      if (isChange || wantsActions) void this.#work(id);
    });
    this.#served.set(id, { forget, ended: new AbortController(), position, isWorking: false });
    void this.#work(id);
  }

  /** Ends what is being sent to the webhook. */
  forget(id: string): void {
    const served = this.#served.get(id);
    if (served === undefined) return;
    this.#served.delete(id);
    clearTimeout(served.timer);
    served.forget();
    served.ended.abort();
  }

  /** Posts an event of the type `test` once. */
  async test({ id }: Pick<WebhookRecord, 'id'>): Promise<DeliveryRecord> {
    const at = new Date().toISOString();
    const data = { type: 'test', at, webhook_id: id };
    const row = { ...messageOf('test', at, data), state: 'failed' as const };
    const delivery = this.#parts.store.webhooks.add(id, row);
    return this.#attempt(delivery, 'once');
  }

  /** Resolves when nothing is being sent. */
  ended(): Promise<void> {
    return this.#attempts.settled();
  }

  /** Posts what is due, and comes back when the next delivery is. */
  async #work(id: string): Promise<void> {
    const served = this.#served.get(id);
    if (served === undefined || served.isWorking) return;
    served.isWorking = true;
    clearTimeout(served.timer);
    const { store, log } = this.#parts;
    try {
      while (!served.ended.signal.aborted) {
        const webhook = store.webhooks.find(id);
        if (webhook === undefined || webhook.disabled === 1) return this.forget(id);
        this.#fill(webhook, served);
        const next = store.webhooks.next(id);
        if (next === undefined) return;
        const wait = msUntil(next);
        if (wait > 0) return this.#comeBack(id, served, wait);
        await this.#attempt(next, 'until delivered');
      }
    } catch (error) {
      if (served.ended.signal.aborted) return;
      // A full disk.
      log.warn({ webhook: id, reason: errorMessage(error) }, 'a webhook is served later');
      this.#comeBack(id, served, RETRY_MS);
    } finally {
      served.isWorking = false;
    }
  }

  #comeBack(id: string, served: Served, ms: number): void {
    served.timer = setTimeout(() => void this.#work(id), ms).unref();
  }

  /** Writes deliveries of the events that have happened since, as far as there is room. */
  #fill(webhook: WebhookRecord, served: Served): void {
    const { store } = this.#parts;
    const { id, owner_id } = webhook;
    const types = typesOf(webhook);
    const kinds = types.includes('action')
      ? (['action', 'change'] as const)
      : (['change'] as const);
    const last = store.events.lastId();
    const limit = MOST_PENDING - store.webhooks.countPending(id);
    if (limit <= 0 || last <= served.position) return;
    let events: ServiceEvent[];
    let position = last;
    if (store.events.droppedUpTo(owner_id, kinds) > served.position) {
      const reason = 'Events since the last one are no longer kept. Read the lists again.';
      events = [{ type: 'reset', at: new Date().toISOString(), reason }];
    } else {
      const all = { project: undefined, computer: undefined, within: undefined };
      const range = { after: served.position, last, limit };
      const rows = store.events.list(owner_id, { kinds, types, ...all }, range);
      if (rows.length === limit) position = rows.at(-1)?.id ?? last;
      events = rows.map(serializeEvent);
    }
    if (events.length > 0 || position - webhook.position >= SAVE_EVERY) {
      store.transaction(() => {
        for (const event of events) {
          const message = messageOf(event.type, event.at, event);
          store.webhooks.add(id, { ...message, state: 'pending' });
        }
        store.webhooks.setPosition(id, position);
      });
    }
    served.position = position;
  }

  /** Sends a delivery once and writes the result. */
  async #attempt(
    { webhook_id: id, seq, body, id: message, attempts: before }: DeliveryRecord,
    which: 'once' | 'until delivered',
  ): Promise<DeliveryRecord> {
    return this.#attempts.run(id, async () => {
      const { store } = this.#parts;
      const webhook = store.webhooks.find(id);
      if (webhook === undefined) throw gone();
      const { status_code, error } = await this.#send(webhook, { id: message, body });
      const attempts = before + 1;
      const pause = which === 'once' ? undefined : PAUSES[attempts - 1];
      const isOver = error === null || pause === undefined;
      const result = store.transaction(() =>
        store.webhooks.setResult(
          { webhook_id: id, seq },
          {
            state: error === null ? 'delivered' : isOver ? 'failed' : 'pending',
            attempts,
            status_code,
            error,
            next_attempt_at: isOver ? null : new Date(Date.now() + pause * 1000).toISOString(),
          },
        ),
      );
      if (result === undefined) throw gone();
      if (status_code === 410) {
        store.webhooks.disable(id);
        this.forget(id);
      }
      return result;
    });
  }

  /** The answer's status, and why it is no success. */
  async #send(
    webhook: WebhookRecord,
    message: { readonly id: string; readonly body: string },
  ): Promise<{ readonly status_code: number | null; readonly error: string | null }> {
    const { store, rules, stopping, attemptMs: ms } = this.#parts;
    const secret = store.webhooks.open(webhook);
    if (secret === undefined) {
      return { status_code: null, error: 'The key that encrypted the webhook is gone.' };
    }
    const signal = this.#served.get(webhook.id)?.ended.signal ?? stopping;
    try {
      const status_code = await post(secret, message, { rules, signal, ms });
      if (status_code >= 200 && status_code < 300) return { status_code, error: null };
      const isRedirect = status_code >= 300 && status_code < 400;
      const note = isRedirect ? '; redirects are not followed' : '';
      return { status_code, error: `The target answered ${status_code}${note}.` };
    } catch (error) {
      // It is posted again after a restart of the service.
      if (signal.aborted) throw error;
      return { status_code: null, error: errorMessage(error) };
    }
  }
}

function typesOf({ events }: Pick<WebhookRecord, 'events'>) {
  return typesMatching(JSON.parse(events) as string[]);
}

function messageOf(type: string, timestamp: string, data: object) {
  const body = JSON.stringify({ type, timestamp, data });
  return { id: generateId('msg'), type, at: timestamp, body };
}

/** Milliseconds; at most those of its pause, because the wall clock may have been set back. */
function msUntil({ next_attempt_at, attempts }: DeliveryRecord): number {
  const pause = (PAUSES[attempts - 1] ?? 0) * 1000;
  return Math.min(Date.parse(next_attempt_at ?? '') - Date.now(), pause);
}

function gone(): ApiError {
  return new ApiError('not_found', 'The webhook was deleted meanwhile.', {
    remedy: 'See: vc webhook ls',
  });
}
