import type { Duplex } from 'node:stream';
import type { Client, ClientChannel, PseudoTtyOptions, SFTPWrapper } from 'ssh2';
import { ApiError } from '../contract/errors.js';
import { Turns } from './turns.js';

const CHANNEL_MS = 10_000;
/** Channels that are asked for at once; the others wait for their turn, which does not count as theirs. */
const MOST_OPENING = 16;
/** A server that sends more than twice the window it was given (2 MiB) breaks the protocol. */
const MOST_UNREAD = 8 * 1024 * 1024;
/** Channels that only wait for the end of programs which their command left running. */
const MOST_LINGERING = 64;

export interface ExecOptions {
  readonly terminal?: PseudoTtyOptions | undefined;
  /** Default 10,000. */
  readonly withinMs?: number;
}

interface ChannelRequest<T> {
  readonly withinMs: number;
  /** What is said when it takes longer. */
  readonly late: string;
  begin(done: (cause: Error | undefined, opened?: T) => void): void;
  drop(opened: T): void;
}

/** One SSH connection over a stream of the engine's. */
export class Connection {
  readonly #client: Client;
  readonly #stream: Duplex;
  readonly #channels = new Set<ClientChannel>();
  readonly #lingering = new Set<ClientChannel>();
  readonly #listeners = new Set<(error?: Error) => void>();
  readonly #opening = new Turns(MOST_OPENING);
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
    return this.#request<ClientChannel>({
      withinMs,
      late: 'The computer did not start the command in time.',
      begin: (done) => {
        this.#client.exec(command, terminal ? { pty: terminal } : {}, (cause, opened) => {
          if (opened) this.#adopt(opened);
          done(cause && refused(cause), opened);
        });
      },
      drop: (opened) => opened.close(),
    });
  }

  /** Opens a session of the file transfer protocol; errors as {@link exec}. The caller ends it. */
  sftp(): Promise<SFTPWrapper> {
    return this.#request<SFTPWrapper>({
      withinMs: CHANNEL_MS,
      late: 'The computer did not open its files in time.',
      begin: (done) => {
        this.#client.sftp((cause, opened) => done(cause && noFiles(cause), opened));
      },
      drop: (opened) => opened.end(),
    });
  }

  /**
   * Connects to a TCP port of the guest's own. Rejects with the cause that ssh2 gives, which has
   * the `reason` of RFC 4254, section 5.1, when the guest refuses.
   */
  connect(host: string, port: number): Promise<ClientChannel> {
    return this.#request<ClientChannel>({
      withinMs: CHANNEL_MS,
      late: `The computer did not connect to its port ${port} in time.`,
      begin: (done) => {
        this.#client.forwardOut('127.0.0.1', 0, host, port, (cause, opened) => {
          if (opened) this.#adopt(opened);
          done(cause, opened);
        });
      },
      drop: (opened) => opened.close(),
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
   * Calls back when sshd has answered a question that changes nothing: it has worked off all that
   * it was doing before. Never calls back once the connection has ended.
   */
  roundTrip(done: () => void): void {
    if (!this.open) return;
    try {
      // There is no such forwarding, which is all that sshd says.
      this.#client.unforwardIn('127.0.0.1', 1, () => done());
    } catch {
      // It has just ended; whoever waits is told by onEnd.
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

  /** One channel that is asked for when it is its turn; one that comes too late is dropped. */
  #request<T>(request: ChannelRequest<T>): Promise<T> {
    return this.#opening.run(() => this.#ask(request));
  }

  #ask<T>({ withinMs, late, begin, drop }: ChannelRequest<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.open) return reject(this.#ended?.error ?? lost());
      const fail = (error: Error) => {
        clearTimeout(timer);
        this.#listeners.delete(onEnd);
        reject(error);
      };
      const onEnd = (error?: Error) => fail(error ?? lost());
      const timer = setTimeout(() => fail(new ApiError('guest_timeout', late)), withinMs);
      this.#listeners.add(onEnd);
      begin((cause, opened) => {
        if (cause || opened === undefined) return fail(cause ?? lost());
        clearTimeout(timer);
        if (this.#listeners.delete(onEnd)) resolve(opened);
        else drop(opened);
      });
    });
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

function noFiles(cause: Error): ApiError {
  const message = `This computer gives no access to its files: ${cause.message}.`;
  return new ApiError('unsupported', message, { cause });
}
