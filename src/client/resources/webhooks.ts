import type { Answer, BodyInput } from '../../contract/types/index.js';
import { type CallOptions, splitOptions } from '../calls/time-limit.js';
import type { Client } from '../client.js';

/** Targets to which events of the key's owner are posted. See `verifyWebhook` for their side. */
export class Webhooks {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Only this answer contains the secret of the signatures. */
  create(
    webhook: NonNullable<BodyInput<'createWebhook'>> & CallOptions,
    options: CallOptions = {},
  ): Promise<Answer<'createWebhook'>> {
    const { call, fields: body } = splitOptions({ ...webhook, ...options });
    return this.#client.request('createWebhook', { body, ...call });
  }

  /** All webhooks, without their secrets. */
  async list(options: CallOptions = {}): Promise<Answer<'listWebhooks'>['webhooks']> {
    return (await this.#client.request('listWebhooks', options)).webhooks;
  }

  /** A webhook, without its secret. */
  get(id: string, options: CallOptions = {}): Promise<Answer<'getWebhook'>> {
    return this.#client.request('getWebhook', { params: { webhook: id }, ...options });
  }

  /** Posts an event of the type `test` once. The answer says how that went: it does not reject then. */
  test(id: string, options: CallOptions = {}): Promise<Answer<'testWebhook'>> {
    return this.#client.request('testWebhook', { params: { webhook: id }, ...options });
  }

  /** The newest deliveries first. */
  async deliveries(
    id: string,
    options: CallOptions = {},
  ): Promise<Answer<'listDeliveries'>['deliveries']> {
    const params = { webhook: id };
    return (await this.#client.request('listDeliveries', { params, ...options })).deliveries;
  }

  /** Deletes a webhook and its deliveries. */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#client.request('deleteWebhook', { params: { webhook: id }, ...options });
  }
}
