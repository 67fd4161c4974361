import type { Duplex } from 'node:stream';
import type { Client, ClientChannel, PseudoTtyOptions } from 'ssh2';
import { ApiError } from '../contract/errors.js';

const CHANNEL_MS = 10_000;
/** A server that sends more than twice the window it was given (2 MiB) breaks the protocol. */
const MOST_UNREAD = 8 * 1024 * 1024;
/** Channels that only wait for the end of programs which their command left running. */
const MOST_LINGERING = 64;

export interface ExecOptions {
  readonly terminal?: PseudoTtyOptions | undefined;
  /** Default 10,000. */
  readonly withinMs?: number;
}

/** One SSH connection over a stream of the engine's. */
export class Connection {
  readonly #client: Client;
  readonly #stream: Duplex;
  readonly #channels = new Set<ClientChannel>();
  readonly #lingering = new Set<ClientChannel>();
  readonly #listeners = new Set<(error?: Error) => void>();
  #ended: { error?: Error } | undefined;
  #closing = false;

  constructor(client: Client, stream: Duplex) {
    this.#client = client;
    this.#stream = stream;
    client.on('error', (cause) => this.#end(lost(cause)));
    client.on('close', () => this.#end(lost()));
    stream.on('error', (cause) => this.#end(lost(cause)));
    stream.on('close', () => this.#end(lost()));
  }

  get open(): boolean {
    return this.#ended === undefined && !this.#closing;
  }

  /**
   * Runs `command` with the user's shell. Rejects with `guest_timeout` when that takes longer than
   * `withinMs` milliseconds, with `guest_failed` when the connection is lost or the guest refuses.
   */
  exec(
    command: string,
    { terminal, withinMs = CHANNEL_MS }: ExecOptions = {},
  ): Promise<ClientChannel> {
    return new Promise((resolve, reject) => {
      if (!this.open) return reject(this.#ended?.error ?? lost());
      const fail = (error: Error) => {
        clearTimeout(timer);
        this.#listeners.delete(onEnd);
        reject(error);
      };
      const onEnd = (error?: Error) => fail(error ?? lost());
      const timer = setTimeout(
        () =>
          fail(new ApiError('guest_timeout', 'The computer did not start the command in time.')),
        withinMs,
      );
      this.#listeners.add(onEnd);
      const options = terminal ? { pty: terminal } : {};
      this.#client.exec(command, options, (cause, channel) => {
        if (cause) return fail(refused(cause));
        clearTimeout(timer);
        const late = !this.#listeners.delete(onEnd);
        this.#adopt(channel);
        if (late) channel.close();
        else resolve(channel);
      });
    });
  }

  /**
   * Signals the process group of a channel's command through sshd itself: works where the guest
   * cannot start another process, and even after the end of input, when ssh2's own method is mute.
   */
  signal(channel: ClientChannel, name: string): void {
    const { _protocol: protocol } = this.#client as unknown as {
      _protocol?: { signal?(id: number, name: string): void };
    };
    const { outgoing } = channel as unknown as { outgoing?: { id: number; state: string } };
    if (!this.open || outgoing === undefined) return;
    if (outgoing.state === 'open' || outgoing.state === 'eof') {
      protocol?.signal?.(outgoing.id, name);
    }
  }

  /**
   * Keeps a channel whose command has ended while programs it started still hold its output: they
   * would die of SIGPIPE if it were closed. What they print is dropped.
   */
  linger(channel: ClientChannel): void {
    this.#lingering.add(channel);
    for (const output of [channel, channel.stderr]) {
      output.removeAllListeners('data');
      output.resume();
    }
    const [oldest] = this.#lingering;
    if (oldest && this.#lingering.size > MOST_LINGERING) oldest.close();
  }

  /** Called once when the connection ends; with the error unless {@link close} ended it. */
  onEnd(listener: (error?: Error) => void): () => void {
    if (this.#ended) {
      listener(this.#ended.error);
      return () => undefined;
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Ends the connection for its users at once. As long as programs still hold output of theirs
   * ({@link linger}) it stays up without doing anything.
   */
  close(): void {
    if (!this.open) return;
    this.#closing = true;
    for (const channel of this.#channels) {
      if (!this.#lingering.has(channel)) channel.close();
    }
    this.#tell();
    this.#closeWhenUnused();
  }

  /** Watches for a server that ignores flow control. Call it once ssh2 itself reads the stream. */
  guardFlow(): void {
    this.#stream.on('data', () => this.#checkFlow());
  }

  /** Ends it whatever still uses it. */
  destroy(): void {
    this.#end();
  }

  #adopt(channel: ClientChannel): void {
    this.#channels.add(channel);
    channel.on('error', () => undefined);
    channel.stderr.on('error', () => undefined);
    channel.on('close', () => {
      this.#channels.delete(channel);
      this.#lingering.delete(channel);
      this.#closeWhenUnused();
    });
  }

  #closeWhenUnused(): void {
    if (this.#closing && this.#lingering.size === 0) this.#end();
  }

  #checkFlow(): void {
    for (const channel of this.#channels) {
      if (channel.readableLength + channel.stderr.readableLength <= MOST_UNREAD) continue;
      this.#end(new ApiError('guest_failed', 'The computer sent more than SSH allows.'));
      return;
    }
  }

  #end(error?: Error): void {
    if (this.#ended) return;
    this.#ended = error ? { error } : {};
    this.#client.destroy();
    this.#stream.destroy();
    this.#tell(error);
  }

  #tell(error?: Error): void {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener(error);
  }
}

function lost(cause?: Error): ApiError {
  if (cause instanceof ApiError) return cause;
  const { level } = (cause ?? {}) as { level?: string };
  if (level === 'client-authentication') {
    return new ApiError('guest_failed', 'The computer refused our SSH key.', { cause });
  }
  const detail = cause ? `: ${cause.message}` : '';
  return new ApiError('guest_failed', `The connection to the computer was lost${detail}.`, {
    cause,
  });
}

function refused(cause: Error): ApiError {
  return new ApiError(
    'guest_failed',
    `The computer could not start the command: ${cause.message}.`,
    { cause },
  );
}
