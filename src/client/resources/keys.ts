import type { Answer } from '../../contract/types/index.js';
import type { CallOptions } from '../calls/options.js';
import type { Client } from '../client.js';

/** The API keys of the key's owner. */
export class Keys {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Creates an API key. Only this answer contains its text. */
  create(name: string, options: CallOptions = {}): Promise<Answer<'createKey'>> {
    return this.#client.request('createKey', { body: { name }, ...options });
  }

  async list(options: CallOptions = {}): Promise<Answer<'listKeys'>['keys']> {
    return (await this.#client.request('listKeys', options)).keys;
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#client.request('deleteKey', { params: { key: id }, ...options });
  }
}
