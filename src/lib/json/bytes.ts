import { TimeSlice } from '../async/time-slice.js';
import { jsonPieces } from './pieces.js';

/** Milliseconds of work between two turns of the event loop. */
const SLICE_MS = 4;
/** Least length of the texts that become bytes at once. */
const PIECE = 16 * 1024;
const NONE = Buffer.alloc(0);

interface Options {
  /** Whose turns of the event loop it takes. */
  readonly ownerId?: string;
  /** Gets the number of bytes that are made; may throw. */
  readonly grow?: (bytes: number) => void;
  readonly signal?: AbortSignal;
}

/** Makes the JSON of a large value in several turns of the event loop. Rejects with the signal's reason. */
export async function jsonBytes(
  value: unknown,
  { ownerId, grow = () => undefined, signal }: Options = {},
): Promise<Buffer> {
  const slice = new TimeSlice(SLICE_MS, ownerId);
  // Many callers may come to this at once.
  await slice.next();
  const made: Buffer[] = [];
  let length = 0;
  let text = '';
  const add = () => {
    const bytes = Buffer.from(text);
    text = '';
    grow(bytes.length);
    made.push(bytes);
    length += bytes.length;
  };
  for (const piece of jsonPieces(value)) {
    text += piece;
    if (text.length < PIECE) continue;
    add();
    if (!slice.isOver) continue;
    await slice.next();
    signal?.throwIfAborted();
  }
  add();
  const all = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const [nth, bytes] of made.entries()) {
    at += bytes.copy(all, at);
    made[nth] = NONE;
    if (slice.isOver) await slice.next();
  }
  return all;
}
