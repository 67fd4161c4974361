import { createHash } from 'node:crypto';
import { ApiError } from '../../contract/errors.js';
import type { Log } from '../../lib/log.js';
import { errorMessage } from '../../lib/text/error-message.js';
import type { Store } from '../store/index.js';

/** Called with the id of a new resource, in the transaction that writes it. */
export type OnCreated = (id: string) => void;

/** A creation that its client may send again. */
export interface KeyedCreation<T> {
  readonly ownerId: string;
  readonly key: string;
  /** What is asked for: the operation, its path and its body. */
  readonly asked: unknown;
  create(onCreated: OnCreated): Promise<T>;
  /** The answer about a resource that was created but not answered; undefined if it is gone. */
  resume(id: string): Promise<T> | undefined;
}

export interface Outcome<T> {
  readonly answer: T;
  /** It was created by an earlier request. */
  readonly isRepeated: boolean;
}

/**
 * Makes sure that a creation with the same key is carried out once. The key is stored with what was
 * created, so that this holds after a crash as well. A creation that failed may be tried again.
 */
export class Idempotency {
  readonly #store: Store;
  readonly #log: Log;
  /** Creations in progress by owner and key. */
  readonly #running = new Map<
    string,
    { readonly hash: string; readonly answer: Promise<unknown> }
  >();

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Throws `invalid_request` if the key was used for something else. */
  async once<T>(creation: KeyedCreation<T>): Promise<Outcome<T>> {
    const { ownerId, key } = creation;
    const hash = createHash('sha256').update(JSON.stringify(creation.asked)).digest('hex');
    const id = `${ownerId} ${key}`;
    const running = this.#running.get(id);
    if (running) {
      if (running.hash !== hash) throw usedOtherwise();
      return { answer: (await running.answer) as T, isRepeated: true };
    }
    const answer = this.#carryOut(creation, hash);
    this.#running.set(id, { hash, answer: answer.then((outcome) => outcome.answer) });
    this.#running.get(id)?.answer.catch(() => undefined);
    try {
      return await answer;
    } finally {
      this.#running.delete(id);
    }
  }

  async #carryOut<T>(creation: KeyedCreation<T>, hash: string): Promise<Outcome<T>> {
    const { ownerId, key } = creation;
    const { idempotency } = this.#store;
    const known = idempotency.find(ownerId, key);
    if (known !== undefined && known.request_hash !== hash) throw usedOtherwise();
    if (known?.answer) return { answer: JSON.parse(known.answer) as T, isRepeated: true };
    const resumed = known && creation.resume(known.resource_id);
    const answer = await (resumed ??
      creation.create((id) => idempotency.add(ownerId, key, hash, id)));
    try {
      idempotency.setAnswer(ownerId, key, JSON.stringify(answer));
    } catch (error) {
      // A full disk. The resource is found by its key all the same.
      this.#log.warn({ reason: errorMessage(error) }, 'the answer to a creation cannot be kept');
    }
    return { answer, isRepeated: resumed !== undefined };
  }
}

function usedOtherwise(): ApiError {
  return new ApiError('invalid_request', 'The Idempotency-Key was used for another request.', {
    remedy: 'Use a new key for each creation, and the same one only to repeat it unchanged.',
  });
}
