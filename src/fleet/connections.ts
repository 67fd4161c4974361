import { isIP } from 'node:net';
import { type AddressRules, parseTarget, resolveTarget, type Target } from '../broadcast/index.js';
import { ApiError } from '../contract/errors.js';
import type { Connection, CreateConnection } from '../contract/streams.js';
import type { Owner } from './access.js';
import type { Store } from './store/index.js';
import type { ConnectionRecord } from './store/records.js';

/** Connections that an owner may have. */
const MOST = 100;

/** An owner's targets of streams; somebody else's answer as if they did not exist. */
export class Connections {
  readonly #store: Store;
  readonly #rules: AddressRules;

  constructor(store: Store, rules: AddressRules) {
    this.#store = store;
    this.#rules = rules;
  }

  list(owner: Owner): Connection[] {
    return this.#store.connections.list(owner.id).map((record) => this.#view(record));
  }

  async create(owner: Owner, input: CreateConnection): Promise<Connection> {
    const { name, url, stream_key } = input;
    const target = parseTarget(url, stream_key);
    // Names are looked up when a stream starts; what is wrong already can be said now.
    if (isIP(target.host) !== 0) await resolveTarget(target, this.#rules);
    const record = this.#store.transaction(() => {
      const { connections } = this.#store;
      if (connections.find(owner.id, name) !== undefined) {
        throw new ApiError(
          'name_taken',
          `You have a connection named ${JSON.stringify(name)} already.`,
        );
      }
      if (connections.list(owner.id).length >= MOST) {
        const message = `You have ${MOST} connections, which is the limit; delete one first.`;
        throw new ApiError('limit_reached', message);
      }
      connections.insert(owner.id, name, { url, ...(stream_key ? { stream_key } : {}) });
      return connections.find(owner.id, name);
    });
    if (record === undefined) throw new Error('the connection was not written');
    return this.#view(record);
  }

  remove(owner: Owner, name: string): void {
    if (!this.#store.connections.remove(owner.id, name)) throw missing(name);
  }

  /** Where a stream to the connection goes. */
  target(owner: Owner, name: string): Target {
    const record = this.#store.connections.find(owner.id, name);
    if (record === undefined) throw missing(name);
    const secret = this.#store.connections.open(record);
    if (secret !== undefined) return parseTarget(secret.url, secret.stream_key);
    const advice = 'the key it was encrypted with is gone; delete it and add it again';
    throw new ApiError(
      'conflict',
      `The connection ${JSON.stringify(name)} cannot be read: ${advice}.`,
    );
  }

  #view(record: ConnectionRecord): Connection {
    const secret = this.#store.connections.open(record);
    return {
      name: record.name,
      url: secret === undefined ? '' : shownUrl(secret.url, secret.stream_key),
      has_stream_key: secret !== undefined,
      created_at: record.created_at,
    };
  }
}

/** What may be shown of a target: no query and no stream name, for either can be the key. */
function shownUrl(url: string, streamKey: string | undefined): string {
  const { label, app } = parseTarget(url, streamKey);
  return `${label}/${app.replace(/\?.*$/, '')}`;
}

function missing(name: string): ApiError {
  return new ApiError(
    'not_found',
    `There is no connection ${JSON.stringify(name)}; GET /connections lists them.`,
  );
}
