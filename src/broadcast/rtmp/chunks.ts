/** A message of RTMP, whole. */
export interface Message {
  readonly type: number;
  readonly stream: number;
  /** Milliseconds, 32 bits. */
  readonly timestamp: number;
  readonly data: Buffer;
}

export const MessageType = {
  chunkSize: 1,
  abort: 2,
  acknowledgement: 3,
  userControl: 4,
  windowSize: 5,
  peerBandwidth: 6,
  audio: 8,
  video: 9,
  data: 18,
  command3: 17,
  command: 20,
} as const;

/** Where both sides begin (Adobe RTMP 1.0, 5.4.1). */
export const FIRST_CHUNK_SIZE = 128;
/** From here on the timestamp stands in four bytes of its own. */
const EXTENDED = 0xffffff;

/** The bytes of a message as chunks of at most `chunkSize` bytes (5.3.1), on chunk stream 2 to 63. */
export function writeMessage(message: Message, chunkStream: number, chunkSize: number): Buffer {
  const { type, stream, data } = message;
  const timestamp = message.timestamp >>> 0;
  const extended = timestamp >= EXTENDED ? Buffer.alloc(4) : Buffer.alloc(0);
  if (extended.length > 0) extended.writeUInt32BE(timestamp);
  const header = Buffer.alloc(12);
  header[0] = chunkStream;
  header.writeUIntBE(Math.min(timestamp, EXTENDED), 1, 3);
  header.writeUIntBE(data.length, 4, 3);
  header[7] = type;
  header.writeUInt32LE(stream, 8);
  const parts = [header, extended, data.subarray(0, chunkSize)];
  for (let at = chunkSize; at < data.length; at += chunkSize) {
    parts.push(Buffer.of(0xc0 | chunkStream), extended, data.subarray(at, at + chunkSize));
  }
  return Buffer.concat(parts);
}

/** No answer of a server is longer. */
const MAX_MESSAGE = 1 << 20;
const MAX_STREAMS = 64;

interface Incoming {
  type: number;
  stream: number;
  timestamp: number;
  /** Of the last header: what a header without a timestamp of its own adds. */
  delta: number;
  length: number;
  isExtended: boolean;
  parts: Buffer[];
  received: number;
}

/** Takes bytes as they come and gives the messages that chunks carry. Throws when they are none. */
export class ChunkReader {
  #chunkSize = FIRST_CHUNK_SIZE;
  #rest: Buffer = Buffer.alloc(0);
  readonly #streams = new Map<number, Incoming>();

  push(bytes: Buffer): Message[] {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const messages: Message[] = [];
    for (let length = this.#chunk(messages); length > 0; length = this.#chunk(messages)) {
      this.#rest = this.#rest.subarray(length);
    }
    return messages;
  }

  /** Takes one chunk; gives its length, 0 when it is not all there yet. */
  #chunk(messages: Message[]): number {
    const bytes = this.#rest;
    const first = bytes[0];
    if (first === undefined) return 0;
    const id = first & 63;
    const basic = id === 0 ? 2 : id === 1 ? 3 : 1;
    const format = first >> 6;
    const headerLength = [11, 7, 3, 0][format] ?? 0;
    let at = basic + headerLength;
    if (bytes.length < at) return 0;
    const key = id > 1 ? id : id === 0 ? 64 + (bytes[1] ?? 0) : 64 + bytes.readUInt16LE(1);
    const known = this.#streams.get(key);
    if (known === undefined && (format !== 0 || this.#streams.size >= MAX_STREAMS)) {
      throw new Error('a chunk without a beginning');
    }
    const next: Incoming = known
      ? { ...known }
      : {
          type: 0,
          stream: 0,
          timestamp: 0,
          delta: 0,
          length: 0,
          isExtended: false,
          parts: [],
          received: 0,
        };
    let time = format < 3 ? bytes.readUIntBE(basic, 3) : 0;
    if (format < 3) next.isExtended = time === EXTENDED;
    if (format < 2) {
      next.length = bytes.readUIntBE(basic + 3, 3);
      next.type = bytes[basic + 6] ?? 0;
    }
    if (format === 0) next.stream = bytes.readUInt32LE(basic + 7);
    if (next.isExtended) {
      if (bytes.length < at + 4) return 0;
      if (format < 3) time = bytes.readUInt32BE(at);
      at += 4;
    }
    if (next.length > MAX_MESSAGE) throw new Error('a message that is too long');
    const take = Math.min(this.#chunkSize, next.length - next.received);
    if (bytes.length < at + take) return 0;
    if (next.received === 0) {
      if (format < 3) next.delta = format === 0 ? 0 : time;
      next.timestamp = (format === 0 ? time : next.timestamp + next.delta) >>> 0;
    }
    next.parts = [...next.parts, bytes.subarray(at, at + take)];
    next.received += take;
    if (next.received >= next.length) {
      const { type, stream, timestamp, parts } = next;
      this.#deliver({ type, stream, timestamp, data: Buffer.concat(parts) }, messages);
      next.parts = [];
      next.received = 0;
    }
    this.#streams.set(key, next);
    return at + take;
  }

  #deliver(message: Message, messages: Message[]): void {
    const { type, data } = message;
    if (type === MessageType.chunkSize && data.length >= 4) {
      this.#chunkSize = Math.max(1, data.readUInt32BE() & 0x7fffffff);
    } else if (type === MessageType.abort && data.length >= 4) {
      const stream = this.#streams.get(data.readUInt32BE());
      if (stream !== undefined) Object.assign(stream, { parts: [], received: 0 });
    } else messages.push(message);
  }
}
