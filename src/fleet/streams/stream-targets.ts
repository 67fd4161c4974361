import { isIP } from 'node:net';
import {
  type AddressRules,
  parseTarget,
  resolveTarget,
  type Target,
} from '../../broadcast/index.js';
import { ApiError } from '../../contract/errors.js';
import type { Connection, CreateConnection } from '../../contract/streams.js';
import type { Owner } from '../accounts/api-keys.js';
import { presentOwner } from '../accounts/present-owner.js';
import { oneProject } from '../accounts/scope.js';
import { missing } from '../errors/missing.js';
import type { Store } from '../store/index.js';
import type { StreamTargetRecord } from '../store/records.js';

/** Stream targets that an owner may have. */
const MOST = 100;

/** An owner's stream targets. Another owner's target is reported as missing. */
export class StreamTargets {
  readonly #store: Store;
  readonly #rules: AddressRules;

  constructor(store: Store, rules: AddressRules) {
    this.#store = store;
    this.#rules = rules;
  }

  list(owner: Owner): Connection[] {
    return this.#store.streamTargets.list(owner.id).map((record) => this.#view(record));
  }

  async create(owner: Owner, input: CreateConnection): Promise<Connection> {
    const { name, url, stream_key } = input;
    const target = parseTarget(url, stream_key);
    // Host names are resolved when a stream starts; an address can be checked now.
    if (isIP(target.host) !== 0) await resolveTarget(target, this.#rules);
    const record = this.#store.transaction(() => {
      const { streamTargets } = this.#store;
      presentOwner(this.#store, owner.id);
      if (streamTargets.find(owner.id, name) !== undefined) {
        throw new ApiError(
          'name_taken',
          `You have a connection named ${JSON.stringify(name)} already.`,
          { remedy: `Choose another name, or remove it: vc connection rm ${name}` },
        );
      }
      if (streamTargets.list(owner.id).length >= MOST) {
        const message = `You have ${MOST} connections, which is the limit.`;
        const remedy = 'Remove one first: vc connection rm NAME';
        throw new ApiError('limit_reached', message, { remedy });
      }
      streamTargets.insert(owner.id, name, { url, ...(stream_key ? { stream_key } : {}) });
      return streamTargets.find(owner.id, name);
    });
    if (record === undefined) throw new Error('the connection was not written');
    return this.#view(record);
  }

  remove(owner: Owner, name: string): void {
    if (!this.#store.streamTargets.remove(owner.id, name)) throw this.#missing(owner, name);
  }

  /** The target of a stream to the connection. A key for one project is refused, whatever the name. */
  target(owner: Owner, name: string): Target {
    if (owner.projectId !== undefined) throw oneProject();
    const record = this.#store.streamTargets.find(owner.id, name);
    if (record === undefined) throw this.#missing(owner, name);
    const secret = this.#store.streamTargets.open(record);
    if (secret !== undefined) return parseTarget(secret.url, secret.stream_key);
    const message = `The connection ${JSON.stringify(name)} cannot be read: the key that encrypted it is gone.`;
    const remedy = `Remove it and add it again: vc connection rm ${name}`;
    throw new ApiError('conflict', message, { remedy });
  }

  #missing(owner: Owner, name: string): ApiError {
    const known = this.#store.streamTargets.list(owner.id).map((record) => record.name);
    return missing('connection', name, { known, list: 'vc connection ls' });
  }

  #view(record: StreamTargetRecord): Connection {
    const secret = this.#store.streamTargets.open(record);
    return {
      name: record.name,
      url: secret === undefined ? '' : shownUrl(secret.url, secret.stream_key),
      has_stream_key: secret !== undefined,
      created_at: record.created_at,
    };
  }
}

/** The URL without its query and stream name, either of which may be the key. */
function shownUrl(url: string, streamKey: string | undefined): string {
  const { label, app } = parseTarget(url, streamKey);
  return `${label}/${app.replace(/\?.*$/, '')}`;
}
