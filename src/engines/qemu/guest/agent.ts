import { randomBytes, randomInt } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../../contract/errors.js';
import type { GuestNetwork } from '../network/index.js';
import type { Message } from '../qmp/json-lines.js';
import { Disconnected, JsonPeer, Unanswered } from '../qmp/json-peer.js';

/** An answer is a few dozen bytes; the guest is not trusted with more. */
const LINE_LIMIT = 64 << 10;
const QUESTION_MS = 20_000;
/** A greeting that a guest lost while it was starting is said again after this long. */
const HELLO_MS = { first: 250, most: 2_000 };

/** Everything that makes a guest this machine and no other. */
export interface Identity {
  readonly hostname: string;
  readonly authorizedKey: string;
  readonly resolution: { readonly width: number; readonly height: number };
  readonly mac: string;
  /** Of its SSH server; to make one takes a second of an emulated processor. */
  readonly hostKey: string;
  readonly network: GuestNetwork | null;
}

/**
 * The agent in a guest of ours: JSON lines over the port `vc.control`. One connection at a time;
 * whoever opens one closes it.
 */
export class Agent {
  readonly #peer: JsonPeer;

  constructor(stream: Duplex) {
    this.#peer = new JsonPeer(stream, {
      limit: LINE_LIMIT,
      name: "the computer's agent",
      onMessage: () => undefined,
      onClose: () => undefined,
      // No answer to an earlier connection is taken for one to this.
      firstId: randomInt(1, 2 ** 30) * 2 ** 20,
    });
  }

  /** Resolves when the agent runs, however long that takes; ends with the signal. */
  async hello(signal: AbortSignal): Promise<void> {
    for (let timeoutMs = HELLO_MS.first; ; timeoutMs = Math.min(timeoutMs * 1.5, HELLO_MS.most)) {
      try {
        await this.#peer.ask({ do: 'hello' }, { timeoutMs, signal });
        return;
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
      }
      await sleep(0, undefined, { signal });
    }
  }

  /** Makes the guest who it shall be; after a boot its desktop starts. Can be done again. */
  async configure(identity: Identity, signal?: AbortSignal): Promise<void> {
    const { resolution, ...rest } = identity;
    const question = {
      do: 'configure',
      ...rest,
      resolution: `${resolution.width}x${resolution.height}`,
      time: Date.now(),
      entropy: randomBytes(64).toString('base64'),
    };
    await this.#ask(question, QUESTION_MS, signal);
  }

  /** Resolves when the desktop is painted. */
  async ready(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    await this.#ask({ do: 'ready' }, timeoutMs, signal);
  }

  /** Resolves when the guest has come to rest and can be saved as a template. */
  async settle(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    await this.#ask({ do: 'settle' }, timeoutMs, signal);
  }

  /** Ends the present connection of a stream and whatever of it is on its way. */
  async reset(stream: 'screen' | 'shell', timeoutMs: number, signal?: AbortSignal): Promise<void> {
    await this.#ask({ do: 'reset', stream }, timeoutMs, signal);
  }

  /** Resolves when the guest has begun to end. */
  async shutdown(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    await this.#ask({ do: 'shutdown' }, timeoutMs, signal).catch((error) => {
      if (!(error instanceof Disconnected)) throw error;
    });
  }

  close(): void {
    this.#peer.close();
  }

  async #ask(question: Message, timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    const answer = await this.#peer.ask(question, { timeoutMs, ...(signal && { signal }) });
    if (answer.ok === true) return;
    const words = typeof answer.error === 'string' ? answer.error.slice(0, 300) : 'no reason given';
    const message = `The computer could not do "${String(question.do)}": ${words}`;
    throw new ApiError('guest_failed', message);
  }
}
