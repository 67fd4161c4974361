import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.js';
import type { Room } from '../../shell/types.js';
import { MemoryBudget, type MemoryLimits } from './memory-budget.js';

const MIB = 1024 * 1024;
const LIMITS: MemoryLimits = { ownerBytes: 64 * MIB, bytes: 256 * MIB };
/** Smaller answers are not counted. */
const SMALL = 16 * 1024;
/** Output of a request that is always kept. */
const GUARANTEED = 64 * 1024;

/** Limits the memory of answers that clients have not read, and of the output that goes into them. */
export class AnswerMemory {
  readonly #answers: MemoryBudget;
  readonly #outputs: MemoryBudget;

  constructor(limits: Partial<MemoryLimits> = {}) {
    this.#answers = new MemoryBudget({ ...LIMITS, ...limits });
    this.#outputs = new MemoryBudget({ ...LIMITS, ...limits });
  }

  /** Asks for room for the output of a request's commands, until its answer was sent. */
  outputRoom(ownerId: string, reply: FastifyReply): Room {
    let kept = 0;
    let held = 0;
    reply.raw.once('close', () => {
      if (held > 0) this.#outputs.release(ownerId, held);
      held = 0;
    });
    return (bytes) => {
      const isGuaranteed = kept + bytes <= GUARANTEED;
      if (!isGuaranteed && !this.#outputs.tryHold(ownerId, bytes)) return 0;
      if (!isGuaranteed) held += bytes;
      kept += bytes;
      return bytes;
    };
  }

  /**
   * Sends what `make` makes when there is room for it. While there is none, an answer to a request that
   * had an effect waits, and only that from which it is made stays in memory. A GET is refused with
   * `rate_limited`.
   */
  async send(
    ownerId: string,
    request: FastifyRequest,
    reply: FastifyReply,
    { make, signal }: { readonly make: () => Buffer; readonly signal: AbortSignal },
  ): Promise<FastifyReply> {
    const bytes = make();
    if (bytes.length <= SMALL) return reply.send(bytes);
    const { length } = bytes;
    if (this.#answers.tryHold(ownerId, length)) return this.#send(ownerId, reply, bytes);
    if (request.method === 'GET') throw tooMany(reply);
    return this.#answers
      .hold(ownerId, length, signal)
      .then(() => this.#send(ownerId, reply, make()));
  }

  #send(ownerId: string, reply: FastifyReply, bytes: Buffer): FastifyReply {
    const release = () => this.#answers.release(ownerId, bytes.length);
    if (reply.raw.closed) release();
    else reply.raw.once('close', release);
    return reply.send(bytes);
  }
}

function tooMany(reply: FastifyReply): ApiError {
  reply.header('retry-after', '1');
  return new ApiError('rate_limited', 'Too many of your answers have not been read yet.', {
    remedy: 'Read them, or send fewer requests at once.',
  });
}
