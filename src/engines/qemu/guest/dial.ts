import type { Duplex } from 'node:stream';
import { ApiError } from '../../../contract/errors.js';
import { sleep } from '../../../lib/async/sleep.js';
import { errorMessage } from '../../../lib/text/error-message.js';
import { hidePaths } from '../../../lib/text/hide-paths.js';
import type { Channel, ShellAccess } from '../../engine.js';
import { notRunning } from '../../not-running.js';
import type { QemuHost } from '../host.js';
import { FILES } from '../layout.js';
import type { MachineRecord } from '../machine/machine-record.js';
import type { QemuMachine } from '../machine/qemu-machine.js';
import type { QemuProcess } from '../machine/qemu-process.js';
import { connectSocket, dialGuestPort } from '../socket.js';
import { withAgent } from './agent.js';
import { Channels } from './channels.js';

/** A server usually sends its greeting within 10 ms; under TCG on a busy host it has taken 10 s. */
const GREETING_MS = { accelerated: 10_000, emulated: 30_000 } as const;
const RESET_MS = 3_000;

/** Opens the streams of machines. */
export class Dialer {
  readonly #host: Pick<QemuHost, 'accelerated'>;
  readonly #channels = new Channels();
  /** The channels that each process may have had a connection on. */
  readonly #used = new WeakMap<QemuProcess, Set<Channel>>();

  constructor(host: Pick<QemuHost, 'accelerated'>) {
    this.#host = host;
  }

  async dial(
    machine: QemuMachine,
    record: MachineRecord,
    channel: Channel,
    signal?: AbortSignal,
  ): Promise<Duplex> {
    const { qemu } = machine;
    if (qemu === undefined || machine.pauseReason !== undefined) {
      throw machine.pauseReason ? new ApiError('not_running', machine.pauseReason) : notRunning();
    }
    const { directory } = qemu.workspace;
    try {
      if (record.image.kind === 'vc') return await this.#dialPort(machine, qemu, channel, signal);
      if (channel === 'screen') return await connectSocket(directory, FILES.screen, signal);
      return await dialGuestPort(directory, signal);
    } catch (cause) {
      signal?.throwIfAborted();
      if (!qemu.alive) throw notRunning(cause);
      if (cause instanceof ApiError) throw cause;
      const message = `The computer's ${channel} does not answer: ${hidePaths(errorMessage(cause))}`;
      throw new ApiError('guest_timeout', message, { cause });
    }
  }

  /** To be called when the guest has closed a stream, which the socket on the host does not show. */
  hangUp(id: string, channel: Channel): void {
    this.#channels.hangUp(`${id}/${channel}`);
  }

  #dialPort(
    machine: QemuMachine,
    qemu: QemuProcess,
    channel: Channel,
    signal: AbortSignal | undefined,
  ): Promise<Duplex> {
    const { directory } = qemu.workspace;
    const connect = async () => {
      const used = this.#usedChannels(qemu);
      if (used.has(channel)) {
        await reset(qemu, channel, signal).catch(async (error: unknown) => {
          if (!isStillConnected(error)) throw error;
          // A guest that was paused when the last connection closed may not have noticed it.
          await reconnectBriefly(directory, channel);
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

  #usedChannels(qemu: QemuProcess): Set<Channel> {
    const known = this.#used.get(qemu);
    if (known) return known;
    const used = new Set<Channel>(qemu.hadConnections ? ['screen', 'shell'] : []);
    this.#used.set(qemu, used);
    return used;
  }
}

/** How to log in; undefined if the image has no SSH server. */
export function shellAccess({ image }: MachineRecord): ShellAccess | undefined {
  if (image.user === null) return undefined;
  const { user, privateKey } = image;
  return privateKey === null ? { user } : { user, privateKey };
}

async function reset(
  qemu: QemuProcess,
  channel: Channel,
  signal: AbortSignal | undefined,
): Promise<void> {
  const timeoutMs = RESET_MS;
  const options = { signal, timeoutMs };
  await withAgent(qemu.workspace, (agent) => agent.reset(channel, timeoutMs, signal), options);
}

function isStillConnected(error: unknown): boolean {
  return error instanceof Error && error.message.includes('still connected');
}

/** Connects and disconnects, so that the guest notices the disconnection. */
async function reconnectBriefly(directory: string, channel: Channel): Promise<void> {
  const stream = await connectSocket(directory, FILES[channel]);
  stream.on('error', () => undefined);
  await sleep(20);
  stream.destroy();
  await sleep(50);
}
