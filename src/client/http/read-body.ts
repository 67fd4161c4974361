import { joinBytes } from '../platform/index.js';
import type { ByteSource } from './transport.js';

/** Bytes whose transfer can be ended; an iterator that was never read from ends nothing. */
export type Endable = AsyncIterable<Uint8Array> & Partial<ByteSource>;

/** Most bytes of an answer that is kept in memory; the largest, of a batch, have about 64 MiB. */
const MOST_BYTES = 256 * 2 ** 20;

/** The chunks of an answer. Throws what `tooLarge` makes if a program that is no service sends on. */
export async function* bounded(
  body: AsyncIterable<Uint8Array>,
  tooLarge: (message: string) => Error,
  most: number = MOST_BYTES,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > most) throw tooLarge(`the answer is larger than ${most / 2 ** 20} MiB`);
    yield chunk;
  }
}

/** All bytes of a body. */
export async function readBytes(body: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return joinBytes(chunks);
}

/** A body as text. */
export async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** A body as a web stream; cancelling it ends the transfer. */
export function toStream(body: Endable): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      // Bytes of a socket are never in shared memory.
      else controller.enqueue(value as Uint8Array<ArrayBuffer>);
    },
    async cancel() {
      await chunks.return?.();
      body.destroy?.();
    },
  });
}

/** The chunks of a web stream, also where it is not an async iterable itself. */
export async function* chunksOf<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader();
  let isWhole = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isWhole = done;
      if (done) return;
      yield value;
    }
  } finally {
    // Not when reading has failed: then it is rejected with the same error.
    if (!isWhole) await reader.cancel().catch(() => undefined);
  }
}
