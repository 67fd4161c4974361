import type { Answer } from '../../contract/types/index.js';
import type { CallOptions } from '../calls/options.js';
import type { Client } from '../client.js';

/** Secrets of a project, by its name or id: `{{secret:NAME}}` in a text to type. */
export class Secrets {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Creates a secret or replaces its value, which is never shown again. */
  set(
    project: string,
    name: string,
    value: string,
    options: CallOptions = {},
  ): Promise<Answer<'setSecret'>> {
    const params = { project, secret: name };
    return this.#client.request('setSecret', { params, body: { value }, ...options });
  }

  async list(
    project: string,
    options: CallOptions = {},
  ): Promise<Answer<'listSecrets'>['secrets']> {
    return (await this.#client.request('listSecrets', { params: { project }, ...options })).secrets;
  }

  async delete(project: string, name: string, options: CallOptions = {}): Promise<void> {
    const params = { project, secret: name };
    await this.#client.request('deleteSecret', { params, ...options });
  }
}
