import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import type { Owner } from '../../fleet/accounts/api-keys.js';
import type { KeyInUse } from '../../fleet/accounts/limits/key-shares.js';
import { nextTurn } from '../../lib/async/next-turn.js';
import type { Room } from '../../shell/types.js';
import { type LargeJson, onAnswerGone } from '../requests.js';
import { MemoryBudget, type MemoryLimits } from './memory-budget.js';

const MIB = 1024 * 1024;
const LIMITS: MemoryLimits = { ownerBytes: 64 * MIB, bytes: 256 * MIB };
/** Smaller answers are not counted. */
const SMALL = 16 * 1024;
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
   * `rate_limited`.
   */
  async send(
    owner: Owner,
    request: FastifyRequest,
    reply: FastifyReply,
    answer: Answer,
  ): Promise<FastifyReply> {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const most = isRead ? 0 : MOST_PER_CHARACTER * charactersOf(answer.from);
    if (most > SMALL) {
      const key = this.#keyOf(owner);
      // Counted before it is made: many answers at once would fill the memory while they are made.
      await this.#answers.hold(key, most, answer.call.signal);
      let held = 0;
      try {
        const bytes = Buffer.from(answer.make());
        held = Math.min(most, bytes.length);
        return this.#send(key, request, reply, bytes, held);
      } finally {
        this.#answers.release(key, most - held);
      }
    }
    const made = answer.make();
    const length = Buffer.byteLength(made);
    // As text: Node sends it in one piece with the headers.
    if (length <= SMALL) return reply.send(made);
    const key = this.#keyOf(owner);
    if (!this.#answers.tryHold(key, length)) {
      if (isRead) throw tooMany(reply);
      await this.#answers.hold(key, length, answer.call.signal);
    }
    return this.#send(key, request, reply, Buffer.from(made), length);
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
      await nextTurn();
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
  readonly from: unknown;
  /** Makes its JSON, or its bytes. */
  make(): string | Buffer;
  /** Its signal is aborted when the client goes away. */
  readonly call: { readonly signal: AbortSignal };
}

/** Characters of all texts in it. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return 0;
  let sum = 0;
  for (const part of Object.values(value)) sum += charactersOf(part);
  return sum;
}

function tooMany(reply: FastifyReply): ApiError {
  reply.header('retry-after', '1');
  return new ApiError('rate_limited', 'Too many of your answers have not been read yet.', {
    remedy: 'Read them, or send fewer requests at once.',
  });
}
