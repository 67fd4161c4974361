import { randomBytes } from 'node:crypto';
import { ApiError } from '../../contract/errors.js';
import type { CreatedWebhook, CreateWebhook, Delivery, Webhook } from '../../contract/resources.js';
import type { Owner } from '../accounts/api-keys.js';
import { presentOwner } from '../accounts/present-owner.js';
import { generateId } from '../computers/ids.js';
import { missing } from '../errors/missing.js';
import type { DeliveryRecord, WebhookRecord } from '../store/webhooks.js';
import { Deliveries, type DeliveriesParts } from './deliveries.js';
import { checkTarget } from './post.js';

/** Webhooks of an owner. */
const MOST = 100;
const SECRET_BYTES = 32;

/** Webhooks of owners: targets to which what happens to an owner's resources is posted. */
export class Webhooks {
  readonly #parts: DeliveriesParts;
  readonly #deliveries: Deliveries;

  constructor(parts: DeliveriesParts) {
    this.#parts = parts;
    this.#deliveries = new Deliveries(parts);
  }

  /** The oldest first. */
  list({ id }: Owner): Webhook[] {
    return this.#parts.store.webhooks.list(id).map((record) => this.#view(record));
  }

  get(owner: Owner, id: string): Webhook {
    return this.#view(this.#find(owner, id));
  }

  /** Sends events from now on. `stillAllowed` throws if the key has ended while the target was checked. */
  async create(
    owner: Owner,
    { url, events }: CreateWebhook,
    stillAllowed: () => void,
  ): Promise<CreatedWebhook> {
    const { store, rules, stopping: signal, attemptMs: ms } = this.#parts;
    this.#refuseMore(owner);
    await checkTarget(url, { rules, signal, ms });
    stillAllowed();
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    const record = store.transaction(() => {
      presentOwner(store, owner.id);
      this.#refuseMore(owner);
      const row = { id: generateId('whk'), owner_id: owner.id, position: store.events.lastId() };
      return store.webhooks.insert(row, { url, secret }, events);
    });
    this.#deliveries.serve(record);
    return { ...this.#view(record), secret };
  }

  /** Removes the webhook and its deliveries; one that is being sent is cut off. */
  remove(owner: Owner, id: string): void {
    this.#find(owner, id);
    this.#parts.store.webhooks.remove(id);
    this.#deliveries.forget(id);
  }

  /** Posts an event of the type `test` once, and answers how that went. */
  async test(owner: Owner, id: string): Promise<Delivery> {
    const record = this.#find(owner, id);
    if (record.disabled === 1) {
      throw new ApiError('conflict', 'The webhook is disabled: its target has answered 410.', {
        remedy: 'Create another one: vc webhook create URL --event TYPE',
      });
    }
    return serialize(await this.#deliveries.test(record));
  }

  /** The newest first. */
  deliveries(owner: Owner, id: string): Delivery[] {
    this.#find(owner, id);
    return this.#parts.store.webhooks.deliveries(id).map(serialize);
  }

  /** Resolves when nothing is being sent. */
  ended(): Promise<void> {
    return this.#deliveries.ended();
  }

  #refuseMore({ id }: Owner): void {
    if (this.#parts.store.webhooks.list(id).length < MOST) return;
    throw new ApiError('limit_reached', `You have ${MOST} webhooks, which is the limit.`, {
      remedy: 'Remove one first: vc webhook rm ID',
    });
  }

  #find(owner: Owner, id: string): WebhookRecord {
    const record = this.#parts.store.webhooks.find(id);
    if (record?.owner_id === owner.id) return record;
    throw missing('webhook', id, { list: 'vc webhook ls' });
  }

  #view(record: WebhookRecord): Webhook {
    const { webhooks } = this.#parts.store;
    return {
      id: record.id,
      url: webhooks.open(record)?.url ?? '',
      events: JSON.parse(record.events) as Webhook['events'],
      status: record.disabled === 1 ? 'disabled' : 'active',
      pending: webhooks.countPending(record.id),
      created_at: record.created_at,
    };
  }
}

function serialize(record: DeliveryRecord): Delivery {
  const { id, type, at, state, attempts, status_code, error, next_attempt_at } = record;
  return { id, type, at, status: state, attempts, status_code, error, next_attempt_at };
}
