import type { Answer, BodyInput } from '../../contract/types/index.js';
import type { CallOptions } from '../calls/options.js';
import type { Client } from '../client.js';

/** Saved RTMP targets of streams. */
export class Connections {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Stores an RTMP target under a name. Its stream key is never shown again. */
  create(
    body: NonNullable<BodyInput<'createConnection'>>,
    options: CallOptions = {},
  ): Promise<Answer<'createConnection'>> {
    return this.#client.request('createConnection', { body, ...options });
  }

  async list(options: CallOptions = {}): Promise<Answer<'listConnections'>['connections']> {
    return (await this.#client.request('listConnections', options)).connections;
  }

  async delete(name: string, options: CallOptions = {}): Promise<void> {
    await this.#client.request('deleteConnection', { params: { name }, ...options });
  }
}
