import { randomBytes, randomInt } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../../contract/errors.js';
import { excerpt } from '../../../lib/text/printable.js';
import type { MachineVolume } from '../../engine.js';
import { macAddress } from '../ids.js';
import { FILES } from '../layout.js';
import type { MachineRecord } from '../machine/machine-record.js';
import type { Workspace } from '../machine/qemu-process.js';
import type { Message } from '../monitor/json-lines.js';
import { Disconnected, JsonPeer, ResponseTimeout } from '../monitor/json-peer.js';
import type { GuestNetwork } from '../network/plan.js';
import { connectSocket } from '../socket.js';

/** Responses have a few dozen bytes; the guest is not trusted with more. */
const LINE_LIMIT = 64 << 10;
/** About 1,000 lines at once, then 64 per second; the agent sends one for each request. */
const MOST = { bytes: 256 << 10, perSecond: 16 << 10 };
/** Time for a guest to boot its agent, under TCG on a busy host. */
const AGENT_MS = 120_000;
const CONFIGURE_MS = 20_000;
/** A guest that starts can lose a request, so `hello` is repeated after this long. */
const HELLO_MS = { first: 250, max: 2_000 };

/** The configuration that distinguishes a guest from others of the same template. */
export interface GuestIdentity {
  readonly hostname: string;
  readonly authorizedKey: string;
  readonly resolution: { readonly width: number; readonly height: number };
  readonly mac: string;
  /** SSH host key; generating one takes a second under TCG. */
  readonly hostKey: string;
  readonly network: GuestNetwork | null;
}

/**
 * The agent in the guest of our own images: JSON lines over the serial port `vc.control`, which
 * carries one connection at a time. The caller must close it.
 */
export class Agent {
  readonly #peer: JsonPeer;

  constructor(stream: Duplex) {
    this.#peer = new JsonPeer(stream, {
      limit: LINE_LIMIT,
      most: MOST,
      name: "the computer's agent",
      onMessage: () => undefined,
      onClose: () => undefined,
      // Random, so that a response to an earlier connection matches no request.
      firstId: randomInt(1, 2 ** 30) * 2 ** 20,
    });
  }

  /** Resolves when the agent answers. Waits until the signal is aborted. */
  async hello(signal: AbortSignal): Promise<void> {
    for (let timeoutMs = HELLO_MS.first; ; timeoutMs = Math.min(timeoutMs * 1.5, HELLO_MS.max)) {
      try {
        await this.#peer.request({ do: 'hello' }, { timeoutMs, signal });
        return;
      } catch (error) {
        if (!(error instanceof ResponseTimeout)) throw error;
      }
    }
  }

  /** Configures the guest; after a boot this also starts its desktop. Idempotent. */
  async configure(identity: GuestIdentity, signal?: AbortSignal): Promise<void> {
    const { resolution, ...rest } = identity;
    const request = {
      do: 'configure',
      ...rest,
      resolution: `${resolution.width}x${resolution.height}`,
      time: Date.now(),
      entropy: randomBytes(64).toString('base64'),
    };
    await this.#request(request, CONFIGURE_MS, signal);
  }

  /** Mounts volumes at their paths, unless they are mounted there. Idempotent. */
  async mount(volumes: readonly MachineVolume[], signal?: AbortSignal): Promise<void> {
    await this.#request({ do: 'mount', volumes }, CONFIGURE_MS, signal).catch((error) => {
      if (!/do must be one of/.test(String(error))) throw error;
      const message = 'The image of the computer is older than volumes.';
      const remedy =
        'Build it again, and create the computer again: vc image build linux --engine qemu';
      throw new ApiError('unsupported', message, { remedy, cause: error });
    });
  }

  /** Resolves when the desktop is painted. */
  async ready(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    await this.#request({ do: 'ready' }, timeoutMs, signal);
  }

  /** Resolves when the guest is idle and can be saved as a template. */
  async settle(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    await this.#request({ do: 'settle' }, timeoutMs, signal);
  }

  /** Ends a stream's connection and drops its data that is still in transit. */
  async reset(stream: 'screen' | 'shell', timeoutMs: number, signal?: AbortSignal): Promise<void> {
    await this.#request({ do: 'reset', stream }, timeoutMs, signal);
  }

  /** Resolves when the guest has begun to shut down. */
  async shutdown(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    await this.#request({ do: 'shutdown' }, timeoutMs, signal).catch((error) => {
      if (!(error instanceof Disconnected)) throw error;
    });
  }

  close(): void {
    this.#peer.close();
  }

  async #request(
    request: Message,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const response = await this.#peer.request(request, { timeoutMs, ...(signal && { signal }) });
    if (response.ok === true) return;
    const reason =
      typeof response.error === 'string' ? excerpt(response.error, 300) : 'no reason given';
    const message = `The computer's agent failed on "${String(request.do)}": ${reason}`;
    throw new ApiError('guest_failed', message);
  }
}

/** The configuration of a machine's guest. */
export function guestIdentity(
  { spec, hostKey }: MachineRecord,
  network: GuestNetwork | null,
): GuestIdentity {
  return {
    hostname: spec.hostName,
    authorizedKey: spec.authorizedKey,
    resolution: spec.resolution,
    mac: macAddress(spec.id),
    hostKey,
    network,
  };
}

/** Runs `work` with a connection to the guest's agent, once the agent answers. */
export async function withAgent<T>(
  { directory }: Workspace,
  work: (agent: Agent) => Promise<T>,
  { signal, timeoutMs = AGENT_MS }: { signal?: AbortSignal | undefined; timeoutMs?: number } = {},
): Promise<T> {
  const late = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, late]) : late;
  const agent = new Agent(await connectSocket(directory, FILES.control));
  try {
    await agent.hello(either).catch((cause) => {
      if (signal?.aborted || !late.aborted) throw cause;
      const message = `The computer's system did not start within ${timeoutMs / 1000} s.`;
      throw new ApiError('guest_timeout', message, { cause });
    });
    return await work(agent);
  } finally {
    agent.close();
  }
}
