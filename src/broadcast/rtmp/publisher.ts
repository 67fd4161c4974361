import type { Duplex } from 'node:stream';
import { deferred } from '../../lib/async/deferred.js';
import { TokenBucket } from '../../lib/async/token-bucket.js';
import { excerpt } from '../../lib/text/printable.js';
import { messageOf, targetFailed } from '../errors.js';
import type { FlvTag } from '../flv.js';
import { redact, type Target } from '../target.js';
import { type AmfValue, decodeAmf, encodeAmf } from './amf.js';
import { ChunkReader } from './chunk-reader.js';
import { CHUNK_SIZE, FIRST_CHUNK_SIZE, type Message, MessageType, writeMessage } from './chunks.js';
import { shakeHands } from './handshake.js';
import { ACKNOWLEDGE_EVERY, Heartbeat } from './heartbeat.js';

/** Milliseconds that the server has for the handshake and all commands together. */
const ANSWER_MS = 5_000;
const PING_MS = 2_000;
/** Bytes that a server may send at once, and per second after that. */
const MAX_BURST = 1 << 20;
/** Longest command, in bytes: its values take time to decode, and answers have a few hundred. */
const MAX_COMMAND = 16 * 1024;
const MAX_PER_SECOND = 64 * 1024;
/** Most unsent bytes of replies to a server that does not read. */
const MAX_UNSENT = 1 << 20;

/** Chunk streams: one for each kind of message, as encoders do. */
const CHUNK_STREAM = { control: 2, command: 3, audio: 4, data: 5, video: 6 } as const;
const UserControl = { pingRequest: 6, pingResponse: 7 } as const;
const TAG_TYPE = {
  audio: MessageType.audio,
  video: MessageType.video,
  script: MessageType.data,
} as const;

interface Waiting {
  readonly accepts: (command: string, values: readonly AmfValue[]) => boolean;
  readonly settle: (values: readonly AmfValue[]) => void;
}

/** Publishes a stream to an RTMP server (Adobe RTMP 1.0, 7.2). */
export class Publisher {
  readonly #socket: Duplex;
  readonly #target: Target;
  readonly #reader = new ChunkReader();
  readonly #heartbeat = new Heartbeat();
  readonly #flood = new TokenBucket(MAX_BURST, MAX_PER_SECOND);
  readonly #failure = deferred<never>();
  #chunkSize = FIRST_CHUNK_SIZE;
  #transaction = 0;
  #stream = 0;
  /** The transaction whose answer is pending. */
  #awaited = 0;
  #waiting: Waiting | undefined;
  #timer: NodeJS.Timeout | undefined;
  #received = 0;
  #acknowledged = 0;
  #window = Number.POSITIVE_INFINITY;

  private constructor(socket: Duplex, target: Target) {
    this.#socket = socket;
    this.#target = target;
    socket.on('error', (error) => this.#lose(error.message));
    socket.on('close', () => this.#lose('it closed the connection'));
  }

  /**
   * Publishes on a connected socket and takes ownership of it. Rejects with ApiError
   * `target_failed` and destroys the socket when the server refuses or does not answer.
   */
  static async open(socket: Duplex, target: Target): Promise<Publisher> {
    const publisher = new Publisher(socket, target);
    const timer = setTimeout(() => publisher.#lose('it does not answer'), ANSWER_MS);
    try {
      await Promise.race([publisher.#open(), publisher.failed]);
      publisher.#timer = setInterval(() => publisher.#ping(), PING_MS);
      return publisher;
    } catch (error) {
      publisher.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Rejects with ApiError `target_failed` when the server is lost; never resolves. */
  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  /** Returns false when the socket's buffer is full; see {@link drained}. */
  send({ kind, timestamp, data }: FlvTag): boolean {
    const body = kind === 'script' ? Buffer.concat([encodeAmf('@setDataFrame'), data]) : data;
    const message = { type: TAG_TYPE[kind], stream: this.#stream, timestamp, data: body };
    return this.#write(message, CHUNK_STREAM[kind === 'script' ? 'data' : kind]);
  }

  /** Resolves when the socket accepts more data; rejects when the server is lost. */
  async drained(): Promise<void> {
    if (!this.#socket.writableNeedDrain) return;
    const drain = new Promise((resolve) => this.#socket.once('drain', resolve));
    await Promise.race([drain, this.failed]);
  }

  /** Ends the stream and closes the connection; idempotent. */
  close(): void {
    clearInterval(this.#timer);
    this.#failure.reject(new Error('closed'));
    if (this.#socket.destroyed) return;
    if (this.#stream > 0) this.#send('deleteStream', null, this.#stream);
    this.#socket.end();
    // Do not wait for a server that does not read.
    setTimeout(() => this.#socket.destroy(), 500).unref();
  }

  async #open(): Promise<void> {
    const { app, stream, tcUrl } = this.#target;
    const rest = await shakeHands(this.#socket).catch((error: unknown) => {
      throw this.#lose(messageOf(error));
    });
    this.#socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    if (rest.length > 0) this.#receive(rest);
    this.#socket.resume();
    await this.#call('connect', { app, type: 'nonprivate', flashVer: 'FMLE/3.0 (vc)', tcUrl });
    this.#control(MessageType.windowSize, uint32(ACKNOWLEDGE_EVERY));
    this.#control(MessageType.chunkSize, uint32(CHUNK_SIZE));
    this.#chunkSize = CHUNK_SIZE;
    this.#send('releaseStream', null, stream);
    this.#send('FCPublish', null, stream);
    const [, id] = await this.#call('createStream', null);
    if (typeof id !== 'number' || id < 1) throw this.#lose('it did not create a stream');
    this.#stream = id;
    const begun = this.#answer((command) => command === 'onStatus');
    this.#send('publish', null, stream, 'live');
    await begun;
  }

  /** Sends a command and resolves to the values after the transaction in its `_result`. */
  #call(command: string, ...values: readonly AmfValue[]): Promise<readonly AmfValue[]> {
    const transaction = this.#send(command, ...values);
    this.#awaited = transaction;
    const answer = this.#answer((name, [id]) => name === '_result' && id === transaction);
    return answer.then((given) => given.slice(1));
  }

  #answer(accepts: Waiting['accepts']): Promise<readonly AmfValue[]> {
    return new Promise((settle) => {
      this.#waiting = { accepts, settle };
    });
  }

  #send(command: string, ...values: readonly AmfValue[]): number {
    this.#transaction += 1;
    const data = encodeAmf(command, this.#transaction, ...values);
    const stream = command === 'publish' ? this.#stream : 0;
    this.#write({ type: MessageType.command, stream, timestamp: 0, data }, CHUNK_STREAM.command);
    return this.#transaction;
  }

  #control(type: number, data: Buffer): void {
    this.#write({ type, stream: 0, timestamp: 0, data }, CHUNK_STREAM.control);
  }

  #reply(type: number, data: Buffer): void {
    if (this.#socket.writableLength < MAX_UNSENT) this.#control(type, data);
  }

  #write(message: Message, channel: number): boolean {
    if (this.#socket.destroyed || this.#socket.writableEnded) return false;
    const bytes = writeMessage(message, channel, this.#chunkSize);
    return this.#socket.write(bytes, this.#heartbeat.sending(bytes.length));
  }

  #ping(): void {
    const silent = this.#heartbeat.silence();
    if (silent !== undefined) return void this.#lose(silent);
    const ping = Buffer.alloc(6);
    ping.writeUInt16BE(UserControl.pingRequest);
    this.#control(MessageType.userControl, ping);
  }

  #receive(bytes: Buffer): void {
    this.#received += bytes.length;
    try {
      if (!this.#flood.take(bytes.length)) throw new Error('far more than any answer');
      for (const message of this.#reader.push(bytes)) this.#take(message);
    } catch (error) {
      this.#lose(`it sent ${messageOf(error)}`);
    }
    if (this.#received - this.#acknowledged < this.#window) return;
    this.#acknowledged = this.#received;
    this.#control(MessageType.acknowledgement, uint32(this.#received >>> 0));
  }

  #take({ type, data }: Message): void {
    if (type === MessageType.command) this.#takeCommand(data);
    else if (type === MessageType.command3) this.#takeCommand(data.subarray(1));
    else if (type === MessageType.acknowledgement) this.#heartbeat.acknowledged();
    else if (type === MessageType.windowSize && data.length >= 4) {
      this.#window = Math.max(1024, data.readUInt32BE());
    } else if (type === MessageType.peerBandwidth && data.length >= 4) {
      this.#reply(MessageType.windowSize, data.subarray(0, 4));
    } else if (type === MessageType.userControl && data.length >= 2) {
      const event = data.readUInt16BE();
      if (event === UserControl.pingResponse) this.#heartbeat.answered();
      if (event !== UserControl.pingRequest) return;
      const answer = Buffer.from(data);
      answer.writeUInt16BE(UserControl.pingResponse);
      this.#reply(MessageType.userControl, answer);
    }
  }

  #takeCommand(data: Buffer): void {
    if (data.length > MAX_COMMAND) throw new Error('a command that is too long');
    const [command, ...values] = decodeAmf(data);
    if (typeof command !== 'string') return;
    const info = values.findLast((value) => typeof value === 'object' && value !== null);
    const { level, code, description } = typeof info === 'object' && info !== null ? info : {};
    // Not every server supports releaseStream and FCPublish, so their errors are ignored.
    const isRefused = command === '_error' && values[0] === this.#awaited;
    if (isRefused || (command === 'onStatus' && level === 'error')) {
      const words = [code, description].filter((word) => typeof word === 'string' && word !== '');
      return void this.#lose(`it refuses (${words.join(': ') || 'without a reason'})`);
    }
    if (!this.#waiting?.accepts(command, values)) return;
    const { settle } = this.#waiting;
    this.#waiting = undefined;
    settle(values);
  }

  /** Fails the stream. Redacts the detail, because the server's text may contain the stream's name. */
  #lose(detail: string): Error {
    const safe = excerpt(redact(detail, this.#target));
    const error = targetFailed(this.#target.label, safe);
    this.#failure.reject(error);
    clearInterval(this.#timer);
    this.#socket.destroy();
    return error;
  }
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
