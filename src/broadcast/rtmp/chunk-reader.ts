import { EXTENDED, FIRST_CHUNK_SIZE, type Message, MessageType } from './chunks.js';

/** Longest accepted message of a server, in bytes. */
const MAX_MESSAGE = 1 << 20;
/** Most bytes of incomplete messages, on all chunk streams. */
const MAX_BUFFERED = 2 << 20;
const MAX_STREAMS = 64;
/** The smallest size that the specification recommends; smaller chunks are mostly headers. */
const MIN_CHUNK_SIZE = 128;
/** Basic header, message header and extended timestamp (Adobe RTMP 1.0, 5.3.1). */
const MAX_HEADER = 3 + 11 + 4;
const MESSAGE_HEADERS = [11, 7, 3, 0] as const;

/** A chunk stream and its incomplete message. */
class ChunkStream {
  type = 0;
  stream = 0;
  timestamp = 0;
  /** Added by a header without an absolute timestamp. */
  delta = 0;
  length = 0;
  isExtended = false;
  received = 0;
  /** Grows with the bytes that arrive, not with those announced, and is used again. */
  buffer: Buffer = Buffer.alloc(0);
}

/**
 * Parses a byte stream of chunks into messages. The work per byte is constant and memory is
 * bounded, whatever the server sends. Throws on a protocol error; unusable afterwards.
 */
export class ChunkReader {
  #chunkSize = FIRST_CHUNK_SIZE;
  readonly #streams = new Map<number, ChunkStream>();
  #buffered = 0;
  readonly #header = Buffer.alloc(MAX_HEADER);
  #headerLength = 0;
  /** The chunk whose payload is being read. */
  #chunk: { readonly stream: ChunkStream; left: number } | undefined;

  push(bytes: Buffer): Message[] {
    const messages: Message[] = [];
    for (let at = 0; at < bytes.length; ) {
      at += this.#chunk === undefined ? this.#readHeader(bytes, at) : this.#readPayload(bytes, at);
      if (this.#chunk?.left === 0) this.#endChunk(this.#chunk.stream, messages);
    }
    return messages;
  }

  #readHeader(bytes: Buffer, from: number): number {
    let at = from;
    for (let size = this.#headerSize(); this.#headerLength < size; size = this.#headerSize()) {
      if (at === bytes.length) return at - from;
      const copied = bytes.copy(
        this.#header,
        this.#headerLength,
        at,
        at + size - this.#headerLength,
      );
      this.#headerLength += copied;
      at += copied;
    }
    this.#beginChunk();
    this.#headerLength = 0;
    return at - from;
  }

  /** Bytes of the header, as far as the part that has arrived determines them. */
  #headerSize(): number {
    if (this.#headerLength === 0) return 1;
    const { basic, size, format } = this.#layout();
    if (this.#headerLength < size) return size;
    const isExtended =
      format < 3
        ? this.#header.readUIntBE(basic, 3) === EXTENDED
        : this.#streams.get(this.#key())?.isExtended;
    return isExtended ? size + 4 : size;
  }

  #layout() {
    const first = this.#header[0] ?? 0;
    const format = first >> 6;
    const basic = [2, 3][first & 63] ?? 1;
    return { format, basic, size: basic + (MESSAGE_HEADERS[format] ?? 0) };
  }

  /** The id of the header's chunk stream. */
  #key(): number {
    const id = (this.#header[0] ?? 0) & 63;
    if (id > 1) return id;
    return 64 + (id === 0 ? (this.#header[1] ?? 0) : this.#header.readUInt16LE(1));
  }

  #beginChunk(): void {
    const { format, basic, size } = this.#layout();
    const stream = this.#openStream(this.#key(), format);
    const header = this.#header;
    let time = 0;
    if (format < 3) {
      time = header.readUIntBE(basic, 3);
      stream.isExtended = time === EXTENDED;
      if (stream.isExtended) time = header.readUInt32BE(size);
    }
    if (format < 2) {
      const length = header.readUIntBE(basic + 3, 3);
      if (length > MAX_MESSAGE) throw new Error('a message that is too long');
      if (stream.received > 0 && length !== stream.length) {
        throw new Error('a message inside another');
      }
      stream.length = length;
      stream.type = header[basic + 6] ?? 0;
    }
    if (format === 0) stream.stream = header.readUInt32LE(basic + 7);
    if (stream.received === 0) {
      if (format < 3) stream.delta = format === 0 ? 0 : time;
      stream.timestamp = (format === 0 ? time : stream.timestamp + stream.delta) >>> 0;
    }
    const left = Math.min(this.#chunkSize, stream.length - stream.received);
    this.#chunk = { stream, left };
  }

  #openStream(key: number, format: number): ChunkStream {
    const known = this.#streams.get(key);
    if (known !== undefined) return known;
    if (format !== 0) throw new Error('a chunk without a full header');
    if (this.#streams.size >= MAX_STREAMS) throw new Error('too many chunk streams');
    const stream = new ChunkStream();
    this.#streams.set(key, stream);
    return stream;
  }

  #readPayload(bytes: Buffer, at: number): number {
    const chunk = this.#chunk;
    if (chunk === undefined) return 0;
    const { stream } = chunk;
    const taken = Math.min(chunk.left, bytes.length - at);
    this.#reserve(stream, stream.received + taken);
    bytes.copy(stream.buffer, stream.received, at, at + taken);
    stream.received += taken;
    chunk.left -= taken;
    return taken;
  }

  #reserve(stream: ChunkStream, needed: number): void {
    const old = stream.buffer;
    if (needed <= old.length) return;
    const size = Math.min(MAX_MESSAGE, Math.max(needed, old.length * 2));
    this.#buffered += size - old.length;
    if (this.#buffered > MAX_BUFFERED) throw new Error('too many incomplete messages');
    stream.buffer = Buffer.allocUnsafe(size);
    old.copy(stream.buffer, 0, 0, stream.received);
  }

  #endChunk(chunkStream: ChunkStream, messages: Message[]): void {
    this.#chunk = undefined;
    const { type, stream, timestamp, length, received, buffer } = chunkStream;
    if (received < length) return;
    chunkStream.received = 0;
    const data = Buffer.from(buffer.subarray(0, length));
    if (type === MessageType.chunkSize && length >= 4) {
      this.#chunkSize = data.readUInt32BE() & 0x7fffffff;
      if (this.#chunkSize < MIN_CHUNK_SIZE) throw new Error(`a chunk size of ${this.#chunkSize}`);
    } else if (type === MessageType.abort && length >= 4) {
      const aborted = this.#streams.get(data.readUInt32BE());
      if (aborted !== undefined) aborted.received = 0;
    } else messages.push({ type, stream, timestamp, data });
  }
}
