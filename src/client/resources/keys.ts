import type { Answer, BodyInput } from '../../contract/types/index.js';
import type { CallOptions } from '../calls/options.js';
import type { Client } from '../client.js';

/** The API keys of the key's owner. */
export class Keys {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Creates an API key, by default with all rights in all projects and without an end. Only this answer
   * contains its text.
   */
  create(
    key: string | NonNullable<BodyInput<'createKey'>>,
    options: CallOptions = {},
  ): Promise<Answer<'createKey'>> {
    const body = typeof key === 'string' ? { name: key } : key;
    return this.#client.request('createKey', { body, ...options });
  }

  /** A single-use link that opens the web page with the rights of the client's own key. */
  createLogin(options: CallOptions = {}): Promise<Answer<'createLogin'>> {
    return this.#client.request('createLogin', options);
  }

  /** Changes the given fields at once. Other rights end what the key has open. */
  update(
    id: string,
    body: NonNullable<BodyInput<'updateKey'>>,
    options: CallOptions = {},
  ): Promise<Answer<'updateKey'>> {
    return this.#client.request('updateKey', { params: { key: id }, body, ...options });
  }

  async list(options: CallOptions = {}): Promise<Answer<'listKeys'>['keys']> {
    return (await this.#client.request('listKeys', options)).keys;
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#client.request('deleteKey', { params: { key: id }, ...options });
  }
}
