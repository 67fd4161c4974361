import type { Answer, BodyInput, QueryInput } from '../../contract/types/index.js';
import { type CallOptions, splitOptions } from '../calls/time-limit.js';
import type { Client } from '../client.js';

/** The owners of the service, by name or id; for administrators. */
export class Owners {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Makes an owner and its first API key; the answer is the only place where that can be seen. */
  create(
    owner: NonNullable<BodyInput<'createOwner'>> & CallOptions,
    options: CallOptions = {},
  ): Promise<Answer<'createOwner'>> {
    const { call, fields: body } = splitOptions({ ...owner, ...options });
    return this.#client.request('createOwner', { body, ...call });
  }

  /** All owners, with their limits. */
  async list(options: CallOptions = {}): Promise<Answer<'listOwners'>['owners']> {
    return (await this.#client.request('listOwners', options)).owners;
  }

  /** An owner, by name or id. */
  get(owner: string, options: CallOptions = {}): Promise<Answer<'getOwner'>> {
    return this.#client.request('getOwner', { params: { owner }, ...options });
  }

  /** Changes the limit of running computers; null takes the service's. */
  update(
    owner: string,
    changes: NonNullable<BodyInput<'updateOwner'>> & CallOptions,
    options: CallOptions = {},
  ): Promise<Answer<'updateOwner'>> {
    const { call, fields: body } = splitOptions({ ...changes, ...options });
    return this.#client.request('updateOwner', { params: { owner }, body, ...call });
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
    key: string | (NonNullable<BodyInput<'createKey'>> & CallOptions),
    options: CallOptions = {},
  ): Promise<Answer<'createKey'>> {
    const given = typeof key === 'string' ? { name: key } : key;
    const { call, fields: body } = splitOptions({ ...given, ...options });
    return this.#client.request('createKey', { body, ...call });
  }

  /** A single-use link that opens the web page with the rights of the client's own key. */
  createLogin(options: CallOptions = {}): Promise<Answer<'createLogin'>> {
    return this.#client.request('createLogin', options);
  }

  /** Changes the given fields at once. Other rights end what the key has open. */
  update(
    id: string,
    changes: NonNullable<BodyInput<'updateKey'>> & CallOptions,
    options: CallOptions = {},
  ): Promise<Answer<'updateKey'>> {
    const { call, fields: body } = splitOptions({ ...changes, ...options });
    return this.#client.request('updateKey', { params: { key: id }, body, ...call });
  }

  /** The keys of the owner, without their texts. */
  async list(options: CallOptions = {}): Promise<Answer<'listKeys'>['keys']> {
    return (await this.#client.request('listKeys', options)).keys;
  }

  /** Revokes a key; what it has open ends. */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#client.request('deleteKey', { params: { key: id }, ...options });
  }
}

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

  /** Names and times, without the values. */
  async list(
    project: string,
    options: CallOptions = {},
  ): Promise<Answer<'listSecrets'>['secrets']> {
    return (await this.#client.request('listSecrets', { params: { project }, ...options })).secrets;
  }

  /** Deletes a secret. */
  async delete(project: string, name: string, options: CallOptions = {}): Promise<void> {
    const params = { project, secret: name };
    await this.#client.request('deleteSecret', { params, ...options });
  }
}

/** Saved RTMP targets of streams. */
export class Connections {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Stores an RTMP target under a name. Its stream key is never shown again. */
  create(
    connection: NonNullable<BodyInput<'createConnection'>> & CallOptions,
    options: CallOptions = {},
  ): Promise<Answer<'createConnection'>> {
    const { call, fields: body } = splitOptions({ ...connection, ...options });
    return this.#client.request('createConnection', { body, ...call });
  }

  /** All targets, without their stream keys. */
  async list(options: CallOptions = {}): Promise<Answer<'listConnections'>['connections']> {
    return (await this.#client.request('listConnections', options)).connections;
  }

  /** Deletes a target; a stream that uses it keeps running. */
  async delete(name: string, options: CallOptions = {}): Promise<void> {
    await this.#client.request('deleteConnection', { params: { name }, ...options });
  }
}
