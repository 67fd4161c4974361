import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../contract/errors.js';
import type { Channel, ShellAccess } from '../engine.js';
import { Channels, notRunning } from './guest/channels.js';
import { withAgent } from './guest/configure.js';
import type { Host } from './host.js';
import { FILES } from './layout.js';
import type { QemuMachine } from './machine.js';
import { connectSocket, dialGuestPort } from './process/index.js';
import type { Qemu } from './qemu.js';
import type { MachineRecord } from './record.js';

/**
 * A server that is there begins to speak within some ten milliseconds; an emulated one, on a host
 * that several others keep busy, has taken ten seconds.
 */
const GREETING_MS = { accelerated: 10_000, emulated: 30_000 } as const;
const RESET_MS = 3_000;

/** Opens the streams of machines. */
export class Dialer {
  readonly #host: Pick<Host, 'accelerated'>;
  readonly #channels = new Channels();
  /** QEMUs of which it is known that no stream was opened before. */
  readonly #fresh = new WeakMap<Qemu, Set<Channel>>();

  constructor(host: Pick<Host, 'accelerated'>) {
    this.#host = host;
  }

  async dial(
    machine: QemuMachine,
    record: MachineRecord,
    channel: Channel,
    signal?: AbortSignal,
  ): Promise<Duplex> {
    const { qemu } = machine;
    if (qemu === undefined || machine.trouble !== undefined) {
      throw machine.trouble ? new ApiError('not_running', machine.trouble) : notRunning();
    }
    const { directory } = qemu.place;
    try {
      if (record.image.kind === 'vc') return await this.#dialPort(machine, qemu, channel, signal);
      if (channel === 'screen') return await connectSocket(directory, FILES.screen, signal);
      return await dialGuestPort(directory, signal);
    } catch (cause) {
      signal?.throwIfAborted();
      if (!qemu.alive) throw notRunning(cause);
      if (cause instanceof ApiError) throw cause;
      const words = cause instanceof Error ? cause.message : String(cause);
      throw new ApiError('guest_timeout', `The computer's ${channel} does not answer: ${words}`, {
        cause,
      });
    }
  }

  /** The guest's end of a stream hung up, which the host's end does not notice. */
  hangUp(id: string, channel: Channel): void {
    this.#channels.hangUp(`${id}/${channel}`);
  }

  #dialPort(
    machine: QemuMachine,
    qemu: Qemu,
    channel: Channel,
    signal: AbortSignal | undefined,
  ): Promise<Duplex> {
    const { directory } = qemu.place;
    const connect = async () => {
      const used = this.#used(qemu);
      if (used.has(channel)) {
        await reset(qemu, channel, signal).catch(async (error: unknown) => {
          if (!isStillConnected(error)) throw error;
          // A machine that stood still when the last host left may not have been told of it.
          await comeAndGo(directory, channel);
          await reset(qemu, channel, signal);
        });
      }
      used.add(channel);
      return connectSocket(directory, FILES[channel]);
    };
    const timeoutMs = GREETING_MS[this.#host.accelerated ? 'accelerated' : 'emulated'];
    const options = { timeoutMs, signal };
    return this.#channels.open(`${machine.id}/${channel}`, channel, connect, options);
  }

  /** Streams of which the guest may have had an earlier connection. */
  #used(qemu: Qemu): Set<Channel> {
    const known = this.#fresh.get(qemu);
    if (known) return known;
    const used = new Set<Channel>(qemu.seasoned ? ['screen', 'shell'] : []);
    this.#fresh.set(qemu, used);
    return used;
  }
}

/** How to log in; undefined when the image has no SSH server. */
export function shellAccess({ image }: MachineRecord): ShellAccess | undefined {
  if (image.user === null) return undefined;
  const { user, privateKey } = image;
  return privateKey === null ? { user } : { user, privateKey };
}

async function reset(qemu: Qemu, channel: Channel, signal: AbortSignal | undefined): Promise<void> {
  const timeoutMs = RESET_MS;
  const options = { signal, timeoutMs };
  await withAgent(qemu.place, (agent) => agent.reset(channel, timeoutMs, signal), options);
}

function isStillConnected(error: unknown): boolean {
  return error instanceof Error && error.message.includes('still connected');
}

/** Connects and hangs up, so that the guest hears of a host that is gone. */
async function comeAndGo(directory: string, channel: Channel): Promise<void> {
  const stream = await connectSocket(directory, FILES[channel]);
  stream.on('error', () => undefined);
  await sleep(20);
  stream.destroy();
  await sleep(50);
}
