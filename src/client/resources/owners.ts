import type { Answer, BodyInput, QueryInput } from '../../contract/types/index.js';
import { type CallOptions, splitOptions } from '../calls/options.js';
import type { Client } from '../client.js';

/** The owners of the service, by name or id; for administrators. */
export class Owners {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Makes an owner and its first API key; the answer is the only place where that can be seen. */
  create(
    body: NonNullable<BodyInput<'createOwner'>>,
    options: CallOptions = {},
  ): Promise<Answer<'createOwner'>> {
    return this.#client.request('createOwner', { body, ...options });
  }

  async list(options: CallOptions = {}): Promise<Answer<'listOwners'>['owners']> {
    return (await this.#client.request('listOwners', options)).owners;
  }

  get(owner: string, options: CallOptions = {}): Promise<Answer<'getOwner'>> {
    return this.#client.request('getOwner', { params: { owner }, ...options });
  }

  /** Changes the limit of running computers; null takes the service's. */
  update(
    owner: string,
    body: NonNullable<BodyInput<'updateOwner'>>,
    options: CallOptions = {},
  ): Promise<Answer<'updateOwner'>> {
    return this.#client.request('updateOwner', { params: { owner }, body, ...options });
  }

  /** A key for an owner who has lost theirs. */
  createKey(
    owner: string,
    name: string,
    options: CallOptions = {},
  ): Promise<Answer<'createOwnerKey'>> {
    const body = { name };
    return this.#client.request('createOwnerKey', { params: { owner }, body, ...options });
  }

  /** The owner's audit log, newest first; a deleted owner is named by its id. */
  async audit(
    owner: string,
    options: NonNullable<QueryInput<'listOwnerAudit'>> & CallOptions = {},
  ): Promise<Answer<'listOwnerAudit'>['entries']> {
    const { call, fields: query } = splitOptions(options);
    const params = { owner };
    return (await this.#client.request('listOwnerAudit', { params, query, ...call })).entries;
  }

  /**
   * Removes an owner and its keys, for good. One that has projects is only removed with `force`,
   * together with its computers and their disks.
   */
  async delete(
    owner: string,
    { force = false, ...options }: { readonly force?: boolean } & CallOptions = {},
  ): Promise<void> {
    const query = { force: force ? '1' : '0' } as const;
    await this.#client.request('deleteOwner', { params: { owner }, query, ...options });
  }
}
