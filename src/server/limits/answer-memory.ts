import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import type { Owner } from '../../fleet/accounts/api-keys.js';
import type { KeyInUse } from '../../fleet/accounts/limits/key-shares.js';
import { nextTurn } from '../../lib/async/next-turn.js';
import { jsonBytes } from '../../lib/json/bytes.js';
import type { Room } from '../../shell/types.js';
import { type LargeJson, onAnswerGone } from '../requests.js';
import { MemoryBudget, type MemoryLimits } from './memory-budget.js';

const MIB = 1024 * 1024;
const LIMITS: MemoryLimits = { ownerBytes: 64 * MIB, bytes: 256 * MIB };
/** Smaller answers are not counted. */
const SMALL = 16 * 1024;
/** Characters above which an answer is made in several turns of the event loop. */
const LARGE = 40 * 1024;
/** Bytes of JSON that a character takes at most: `\u0000`. */
const MOST_PER_CHARACTER = 6;
/** Output of a request that is always kept. */
const GUARANTEED = 64 * 1024;

/** Limits the memory of answers that clients have not read, and of the output that goes into them. */
export class AnswerMemory {
  readonly #keyOf: (owner: Owner) => KeyInUse;
  readonly #answers: MemoryBudget;
  readonly #outputs: MemoryBudget;

  constructor(keyOf: (owner: Owner) => KeyInUse, limits: Partial<MemoryLimits> = {}) {
    this.#keyOf = keyOf;
    this.#answers = new MemoryBudget({ ...LIMITS, ...limits });
    this.#outputs = new MemoryBudget({ ...LIMITS, ...limits });
  }

  /** Asks for room for the output of a request's commands, until its answer was sent. */
  outputRoom(owner: Owner, reply: FastifyReply): Room {
    let kept = 0;
    let held = 0;
    let key: KeyInUse | undefined;
    return (bytes) => {
      const isGuaranteed = kept + bytes <= GUARANTEED;
      if (!isGuaranteed) {
        key ??= this.#keyOf(owner);
        const by = key;
        if (reply.raw.closed || !this.#outputs.tryHold(by, bytes)) return 0;
        if (held === 0) reply.raw.once('close', () => this.#outputs.release(by, held));
        held += bytes;
      }
      kept += bytes;
      return bytes;
    };
  }

  /**
   * Sends an answer when there is room for it. While there is none, an answer to a request that had an
   * effect waits, and only that from which it is made stays in memory. A GET is refused with
   * `rate_limited`. Others have turns while a large answer is made.
   */
  async send(
    owner: Owner,
    request: FastifyRequest,
    reply: FastifyReply,
    answer: Answer,
  ): Promise<FastifyReply> {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const { value, call } = answer;
    const characters = charactersOf(value, isRead ? LARGE : Infinity);
    if (characters > LARGE || (!isRead && MOST_PER_CHARACTER * characters > SMALL)) {
      return this.#sendCounted({ owner, request, reply, answer, characters, isRead });
    }
    const made = Buffer.isBuffer(value) ? value : JSON.stringify(value);
    const length = Buffer.byteLength(made);
    // As text: Node sends it in one piece with the headers.
    if (length <= SMALL) return reply.send(made);
    const key = this.#keyOf(owner);
    if (!this.#answers.tryHold(key, length)) {
      if (isRead) throw tooMany(reply);
      await this.#answers.hold(key, length, call.signal);
    }
    const bytes = typeof made === 'string' ? Buffer.from(made) : made;
    return this.#send(key, request, reply, bytes, length);
  }

  /** One of so much text that it is counted before it is made: many at once would fill the memory. */
  async #sendCounted({ owner, request, reply, answer, characters, isRead }: Counted) {
    const { value, call } = answer;
    const key = this.#keyOf(owner);
    let held = 0;
    const grow = (bytes: number) => {
      if (!this.#answers.tryHold(key, bytes, held)) throw tooMany(reply);
      held += bytes;
    };
    if (!isRead) {
      const most = MOST_PER_CHARACTER * characters;
      await this.#answers.hold(key, most, call.signal);
      held = most;
    }
    try {
      const bytes =
        characters > LARGE
          ? await jsonBytes(value, {
              ...{ ownerId: owner.id, signal: call.signal },
              ...(isRead && { grow }),
            })
          : Buffer.from(JSON.stringify(value));
      const kept = Math.min(held, bytes.length);
      held -= kept;
      return this.#send(key, request, reply, bytes, kept);
    } finally {
      this.#answers.release(key, held);
    }
  }

  /**
   * The same for a large answer to a GET: it is refused before it is made, and others have a turn
   * before. Hundreds may wait for the same picture.
   */
  async sendLarge(
    owner: Owner,
    request: FastifyRequest,
    reply: FastifyReply,
    { length, make }: LargeJson,
  ): Promise<FastifyReply> {
    if (length <= SMALL) return reply.send(make());
    const key = this.#keyOf(owner);
    if (!this.#answers.tryHold(key, length)) throw tooMany(reply);
    let held = length;
    try {
      await nextTurn(owner.id);
      const bytes = make();
      held = 0;
      return this.#send(key, request, reply, bytes, length);
    } finally {
      this.#answers.release(key, held);
    }
  }

  #send(
    key: KeyInUse,
    request: FastifyRequest,
    reply: FastifyReply,
    bytes: Buffer,
    held: number,
  ): FastifyReply {
    onAnswerGone(request, reply, () => this.#answers.release(key, held));
    return reply.send(bytes);
  }
}

interface Answer {
  /** The answer before it is made into JSON, or its bytes. */
  readonly value: unknown;
  /** Its signal is aborted when the client goes away. */
  readonly call: { readonly signal: AbortSignal };
}

interface Counted {
  readonly owner: Owner;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly answer: Answer;
  readonly characters: number;
  readonly isRead: boolean;
}

/** Characters of all texts in it; not counted further when there are more than `enough`. */
function charactersOf(value: unknown, enough: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return 0;
  let sum = 0;
  for (const part of Object.values(value)) {
    sum += charactersOf(part, enough - sum);
    if (sum > enough) break;
  }
  return sum;
}

function tooMany(reply: FastifyReply): ApiError {
  reply.header('retry-after', '1');
  return new ApiError('rate_limited', 'Too many of your answers have not been read yet.', {
    remedy: 'Read them, or send fewer requests at once.',
  });
}
