import type { Answer, BodyInput } from '../../contract/types/index.js';
import { type CallOptions, splitOptions } from '../calls/time-limit.js';
import type { Client } from '../client.js';

/** Directories that computers share and that outlive them. */
export class Volumes {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Creates an empty volume on `engine`, by default the preferred one that has volumes. */
  create(
    name: string,
    options: Omit<NonNullable<BodyInput<'createVolume'>>, 'name'> & CallOptions = {},
  ): Promise<Answer<'createVolume'>> {
    const { call, fields } = splitOptions(options);
    return this.#client.request('createVolume', { body: { name, ...fields }, ...call });
  }

  /** The volumes of the key's owner, by name. */
  async list(options: CallOptions = {}): Promise<Answer<'listVolumes'>['volumes']> {
    return (await this.#client.request('listVolumes', options)).volumes;
  }

  /** Deletes a volume with its files. Fails while computers mount it. */
  async delete(name: string, options: CallOptions = {}): Promise<void> {
    await this.#client.request('deleteVolume', { params: { volume: name }, ...options });
  }
}
