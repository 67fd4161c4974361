import type { Duplex } from 'node:stream';
import type { Client, ClientChannel, PseudoTtyOptions, SFTPWrapper } from 'ssh2';
import { ApiError } from '../contract/errors.js';
import { ConcurrencyLimit } from '../lib/async/concurrency-limit.js';
import { closeChannel, closeChannelsAtOnce, dropOutput, latestChannel } from './channel-close.js';
import { lost, noFiles, refused, violated } from './connection-errors.js';
import { SlowDrop } from './limits/slow-drop.js';
import { RoundTrips } from './round-trips.js';
import type { DirectWay } from './types.js';

const CHANNEL_MS = 10_000;
/** Channels opened at once; others queue before their deadline starts. */
const MOST_OPENING = 16;
/** Most channels kept for programs that their command left running. */
const MOST_LINGERING = 64;
/**
 * Most channels of a guest: three for each request and WebSocket of its owner, since two more end a
 * process whose client has left, and those that linger. One that has more does not let them end.
 */
const MOST_CHANNELS = 3_072;
/** Milliseconds between two signs of life that {@link Connection.keepAlive} asks for. */
const ALIVE_EVERY_MS = 15_000;
/** Most of them without an answer. */
const MOST_SILENT = 3;
/** Most channels that the guest may still open after their deadline. */
const MOST_UNANSWERED = 64;

interface ExecOptions {
  readonly terminal?: PseudoTtyOptions | undefined;
  /** Milliseconds to wait for the command to start; 10,000 by default. */
  readonly withinMs?: number;
}

interface ChannelRequest<T> {
  readonly withinMs: number;
  /** Error message when it takes longer. */
  readonly late: string;
  begin(done: (cause: Error | undefined, opened?: T) => void): void;
  drop(opened: T): void;
}

/** One SSH connection over a stream of the engine. */
export class Connection {
  /** Undefined if the guest cannot be reached in another way. */
  direct: DirectWay | undefined;
  readonly #client: Client;
  readonly #stream: Duplex;
  readonly #channels = new Set<ClientChannel>();
  /** Those that have opened and are not handed out, by their numbers. */
  readonly #unused = new Map<number, ClientChannel>();
  readonly #lingering = new Set<ClientChannel>();
  readonly #dropped = new SlowDrop();
  readonly #listeners = new Set<(error?: Error) => void>();
  readonly #opening = new ConcurrencyLimit(MOST_OPENING);
  /** Numbers of channels that were not opened by their deadline. */
  readonly #unanswered = new Set<number>();
  readonly #roundTrips: RoundTrips;
  #ended: { error?: Error } | undefined;
  #closing = false;
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(client: Client, stream: Duplex, direct?: DirectWay) {
    this.direct = direct;
    this.#client = client;
    this.#stream = stream;
    this.#roundTrips = new RoundTrips(client, (error) => this.#end(error));
    client.on('error', (cause) => this.#end(lost(cause)));
    client.on('close', () => this.#end(lost()));
    stream.on('error', (cause) => this.#end(lost(cause)));
    stream.on('close', () => this.#end(lost()));
    // Nothing more comes, and ssh2 sends nothing then, although the stream may stay half-open.
    stream.on('end', () => this.#end(lost()));
    client.on('end', () => this.#end(lost()));
  }

  /** Call when the client connects. */
  watchChannels(): void {
    closeChannelsAtOnce(this.#client, (id) => this.#unanswered.has(id), this.#unused);
  }

  get open(): boolean {
    return this.#ended === undefined && !this.#closing;
  }

  /** True while programs that commands left running hold their output. */
  get holding(): boolean {
    return this.#lingering.size > 0;
  }

  /**
   * Starts `command` with the user's shell. Rejects with `guest_timeout` when that takes longer
   * than `withinMs`, with `guest_failed` when the connection is lost or the guest refuses.
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

  /** Opens an SFTP session, which the caller ends; rejects as {@link exec}. */
  sftp(): Promise<SFTPWrapper> {
    return this.#request<SFTPWrapper>({
      withinMs: CHANNEL_MS,
      late: 'The computer did not start a file transfer session in time.',
      begin: (done) => {
        this.#client.sftp((cause, opened) => done(cause && noFiles(cause), opened));
      },
      drop: (opened) => opened.end(),
    });
  }

  /**
   * Connects to a TCP port of the guest. Rejects with ssh2's error, which has the `reason` of RFC
   * 4254, section 5.1, when the guest refuses.
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
   * Signals the process group of a channel's command through sshd. Works when the guest cannot
   * start another process and, unlike ssh2's own method, after the end of input.
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
   * Calls back when sshd has answered a request without effect, and so has processed everything
   * before it. Never calls back once the connection has ended.
   */
  roundTrip(done: () => void): void {
    if (this.open) this.#roundTrips.begin(done);
  }

  /** From now on the connection ends when the guest gives no sign of life for a minute. Idempotent. */
  keepAlive(): void {
    if (this.#ended || this.#keepAlive !== undefined) return;
    let silent = 0;
    this.#keepAlive = setInterval(() => {
      if (silent === MOST_SILENT) return this.#end(lost());
      silent += 1;
      this.#roundTrips.begin(() => {
        silent = 0;
      });
    }, ALIVE_EVERY_MS);
  }

  /**
   * Keeps a channel whose command has ended while programs it started still hold its output:
   * closing it would end them with SIGPIPE. Drops their output.
   */
  linger(channel: ClientChannel): void {
    this.#lingering.add(channel);
    this.#dropped.add(channel);
    const [oldest] = this.#lingering;
    if (oldest && this.#lingering.size > MOST_LINGERING) oldest.close();
  }

  /** Calls `listener` once when the connection ends, with the error unless {@link close} ended it. */
  onEnd(listener: (error?: Error) => void): () => void {
    if (this.#ended) {
      listener(this.#ended.error);
      return () => undefined;
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Ends the connection for its users at once. It stays up until no program holds a channel's
   * output any more; see {@link linger}.
   */
  close(): void {
    if (!this.open) return;
    this.#closing = true;
    this.#notify();
    for (const channel of this.#channels) {
      if (!this.#lingering.has(channel)) channel.close();
    }
    this.#closeWhenUnused();
  }

  /** Closes the connection, even while in use; `error` is for its users. */
  destroy(error?: Error): void {
    this.#end(error);
  }

  /** Opens one channel; closes one that opens after the deadline. */
  #request<T>(request: ChannelRequest<T>): Promise<T> {
    return this.#opening.run(() => this.#ask(request));
  }

  #ask<T>({ withinMs, late, begin, drop }: ChannelRequest<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.open) return reject(this.#ended?.error ?? lost());
      let id = -1;
      const fail = (error: Error) => {
        clearTimeout(timer);
        this.#listeners.delete(onEnd);
        reject(error);
      };
      const giveUp = (error: Error) => {
        fail(error);
        this.#giveUp(id);
      };
      const onEnd = (error?: Error) => giveUp(error ?? lost());
      const timer = setTimeout(() => giveUp(new ApiError('guest_timeout', late)), withinMs);
      this.#listeners.add(onEnd);
      const answered = (cause: Error | undefined, opened?: T) => {
        this.#unanswered.delete(id);
        if (cause || opened === undefined) {
          // The guest has opened the channel, and refused what it is for, or closed it.
          if (!this.#ended && id >= 0) closeChannel(this.#client, id);
          this.#dropUnused(id);
          return fail(cause ?? lost());
        }
        clearTimeout(timer);
        this.#unused.delete(id);
        if (this.#listeners.delete(onEnd)) resolve(opened);
        else drop(opened);
      };
      try {
        begin(answered);
        id = latestChannel(this.#client);
      } catch (cause) {
        // ssh2 throws when it cannot send.
        const error = lost(cause as Error);
        fail(error);
        this.#end(error);
      }
    });
  }

  #dropUnused(id: number): void {
    const channel = this.#unused.get(id);
    this.#unused.delete(id);
    if (channel !== undefined) dropOutput(channel);
  }

  #giveUp(id: number): void {
    this.#dropUnused(id);
    if (this.#ended || id < 0 || closeChannel(this.#client, id)) return;
    this.#unanswered.add(id);
    if (this.#unanswered.size <= MOST_UNANSWERED) return;
    this.#end(violated('it did not answer the opening of channels'));
  }

  #adopt(channel: ClientChannel): void {
    this.#channels.add(channel);
    if (this.#channels.size > MOST_CHANNELS) this.#end(violated('it does not end its channels'));
    channel.on('close', () => {
      this.#channels.delete(channel);
      this.#lingering.delete(channel);
      this.#closeWhenUnused();
    });
  }

  #closeWhenUnused(): void {
    if (this.#closing && !this.holding) this.#end();
  }

  #end(error?: Error): void {
    if (this.#ended) return;
    this.#ended = error ? { error } : {};
    clearInterval(this.#keepAlive);
    this.#client.destroy();
    this.#stream.destroy();
    this.#notify(error);
  }

  #notify(error?: Error): void {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener(error);
  }
}
