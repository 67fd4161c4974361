import type { Answer, BodyInput, QueryInput } from '../contract/index.js';
import type { Client } from './client.js';

/** The owners of the service, by name or id; for administrators. */
export class Owners {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Makes an owner and its first API key; the answer is the only place where that can be seen. */
  create(body: NonNullable<BodyInput<'createOwner'>>): Promise<Answer<'createOwner'>> {
    return this.#client.request('createOwner', { body });
  }

  async list(): Promise<Answer<'listOwners'>['owners']> {
    return (await this.#client.request('listOwners')).owners;
  }

  get(owner: string): Promise<Answer<'getOwner'>> {
    return this.#client.request('getOwner', { params: { owner } });
  }

  /** Changes the limit of running computers; null takes the service's. */
  update(
    owner: string,
    body: NonNullable<BodyInput<'updateOwner'>>,
  ): Promise<Answer<'updateOwner'>> {
    return this.#client.request('updateOwner', { params: { owner }, body });
  }

  /** A key for an owner who has lost theirs. */
  createKey(owner: string, name: string): Promise<Answer<'createOwnerKey'>> {
    return this.#client.request('createOwnerKey', { params: { owner }, body: { name } });
  }

  /** The owner's audit log, newest first; a deleted owner is named by its id. */
  async audit(
    owner: string,
    query: QueryInput<'listOwnerAudit'> = {},
  ): Promise<Answer<'listOwnerAudit'>['entries']> {
    return (await this.#client.request('listOwnerAudit', { params: { owner }, query })).entries;
  }

  /**
   * Removes an owner and its keys, for good. One that has projects is only removed with `force`,
   * together with its computers and their disks.
   */
  async delete(owner: string, { force = false }: { readonly force?: boolean } = {}): Promise<void> {
    const query = { force: force ? '1' : '0' } as const;
    await this.#client.request('deleteOwner', { params: { owner }, query });
  }
}
