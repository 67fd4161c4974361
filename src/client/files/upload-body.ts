import { chunksOf } from '../http/read-body.js';
import { keepErrors } from '../platform/index.js';

/** Bytes to write to a file: in memory, or a stream of any kind. */
export type FileData =
  | string
  | Uint8Array
  | ArrayBuffer
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>;

/** The body of an upload. */
export interface UploadBody {
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** In bytes, if it is known. */
  readonly length: number | undefined;
  /** The data's own error, which is none of the connection's. */
  readonly failure: () => Error | undefined;
  /** Closes a Node.js stream that was not read at all. */
  readonly end: () => void;
}

/** Throws RangeError if data in memory has another length than `size`. */
export function uploadBody(data: FileData, size: number | undefined): UploadBody {
  const bytes = inMemory(data);
  if (bytes !== undefined) {
    if (size !== undefined && size !== bytes.length) throw wrongSize(bytes.length, size);
    return { body: bytes, length: bytes.length, failure: () => undefined, end: () => undefined };
  }
  const stream = data as Exclude<FileData, string | Uint8Array | ArrayBuffer>;
  const isBlob = stream instanceof Blob;
  // It may fail before anyone reads it; reading it then throws the error.
  keepErrors(stream);
  const length = size ?? (isBlob ? stream.size : undefined);
  let failure: Error | undefined;
  let isBegun = false;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    let sent = 0;
    try {
      isBegun = true;
      for await (const chunk of chunksIn(isBlob ? stream.stream() : stream)) {
        const next = typeof chunk === 'string' ? encoder.encode(chunk) : bytesOf(chunk);
        sent += next.length;
        if (length !== undefined && sent > length) throw wrongSize(sent, length);
        yield next;
      }
      if (length !== undefined && sent < length) throw wrongSize(sent, length);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error), { cause: error });
      throw failure;
    }
  }
  const end = () => {
    if (!isBegun && 'destroy' in stream && typeof stream.destroy === 'function') stream.destroy();
  };
  return { body: chunks(), length, failure: () => failure, end };
}

function inMemory(data: FileData): Uint8Array | undefined {
  if (typeof data === 'string') return new TextEncoder().encode(data);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (data instanceof Uint8Array) return data;
  if (Symbol.asyncIterator in data || 'getReader' in data) return undefined;
  if (data instanceof Blob) return undefined;
  throw new TypeError('data must be a string, bytes, a Blob or a stream of bytes');
}

/** Some browsers cannot iterate over a web stream. */
function chunksIn(data: object): AsyncIterable<Uint8Array | string> {
  if (Symbol.asyncIterator in data) return data as AsyncIterable<Uint8Array | string>;
  return chunksOf(data as ReadableStream<Uint8Array>);
}

/** Throws TypeError for anything but bytes. */
function bytesOf(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  throw new TypeError('a chunk of data is not bytes or a string');
}

function wrongSize(sent: number, size: number): RangeError {
  const has = sent > size ? `more than ${size}` : `only ${sent}`;
  return new RangeError(`the data has ${has} bytes; size is ${size}`);
}
