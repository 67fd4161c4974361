import type { Answer } from '../../contract/types/index.js';
import type { CallOptions } from '../calls/time-limit.js';
import type { Client } from '../client.js';

/** Published ports of computers; see `publish` of a computer. */
export class Publications {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Those of all computers that the key reaches, without their tickets. Needs the right `act`. */
  async list(options: CallOptions = {}): Promise<Answer<'listPublications'>['publications']> {
    return (await this.#client.request('listPublications', options)).publications;
  }
}
