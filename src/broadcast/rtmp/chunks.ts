/** A complete RTMP message. */
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

/** The initial chunk size of both sides (Adobe RTMP 1.0, 5.4.1). */
export const FIRST_CHUNK_SIZE = 128;
/** The chunk size that we announce and send, in bytes, as most encoders do. */
export const CHUNK_SIZE = 4096;
/** Timestamps from this value on use the four bytes of the extended field. */
export const EXTENDED = 0xffffff;

/** Encodes a message as chunks of at most `chunkSize` bytes (5.3.1), on chunk stream 2 to 63. */
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
