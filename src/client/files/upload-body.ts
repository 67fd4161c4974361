import { Readable } from 'node:stream';

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
  readonly body: Buffer | Readable;
  /** In bytes, if it is known. */
  readonly length: number | undefined;
  /** The data's own error, which is none of the connection's. */
  readonly failure: () => Error | undefined;
}

/** Throws RangeError if data in memory has another length than `size`. */
export function uploadBody(data: FileData, size: number | undefined): UploadBody {
  const bytes = inMemory(data);
  if (bytes !== undefined) {
    if (size !== undefined && size !== bytes.length) throw wrongSize(bytes.length, size);
    return { body: bytes, length: bytes.length, failure: () => undefined };
  }
  const isBlob = data instanceof Blob;
  // It may fail before anyone reads it; reading it then throws the error.
  if (data instanceof Readable) data.on('error', () => undefined);
  const length = size ?? (isBlob ? data.size : undefined);
  let failure: Error | undefined;
  async function* chunks(): AsyncGenerator<Buffer> {
    let sent = 0;
    try {
      const source = isBlob ? data.stream() : (data as AsyncIterable<Uint8Array | string>);
      for await (const chunk of source) {
        const next = typeof chunk === 'string' ? Buffer.from(chunk) : view(chunk);
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
  return { body: Readable.from(chunks(), { objectMode: false }), length, failure: () => failure };
}

function inMemory(data: FileData): Buffer | undefined {
  if (typeof data === 'string') return Buffer.from(data);
  if (data instanceof ArrayBuffer) return Buffer.from(data);
  if (data instanceof Uint8Array) return view(data);
  if (data instanceof Blob || Symbol.asyncIterator in data) return undefined;
  throw new TypeError('data must be a string, bytes, a Blob or a stream of bytes');
}

/** The same bytes as a Buffer; throws TypeError for anything else. */
function view(bytes: unknown): Buffer {
  if (!(bytes instanceof Uint8Array))
    throw new TypeError('a chunk of data is not bytes or a string');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function wrongSize(sent: number, size: number): RangeError {
  const has = sent > size ? `more than ${size}` : `only ${sent}`;
  return new RangeError(`the data has ${has} bytes; size is ${size}`);
}
