import type { ViewEvent } from '../../contract/sockets/view.js';
import { TimeSlice } from '../../lib/async/time-slice.js';
import type { CopiedText } from '../../screen/types.js';

/** Characters that become JSON in one piece: a millisecond, if each is escaped. */
const PIECE = 8192;
/** Milliseconds of work in one turn of the event loop. */
const SLICE_MS = 5;

const EMPTY: ViewEvent = { type: 'clipboard', text: '' };
const START = JSON.stringify(EMPTY).slice(0, -2);
const END = '"}';

const messages = new WeakMap<CopiedText, Promise<Buffer>>();

/** The event `clipboard` for a text, as JSON. It is made once for all views, in pieces. */
export function clipboardMessage(copied: CopiedText): Promise<Buffer> {
  const known = messages.get(copied);
  if (known !== undefined) return known;
  const message = encode(copied);
  messages.set(copied, message);
  return message;
}

async function encode({ text }: CopiedText): Promise<Buffer> {
  const slice = new TimeSlice(SLICE_MS);
  const parts = [Buffer.from(START)];
  for (let at = 0; at < text.length; at += PIECE) {
    if (slice.isOver) await slice.next();
    // JSON escapes the halves of a character between two pieces; a reader joins them again.
    parts.push(Buffer.from(JSON.stringify(text.slice(at, at + PIECE)).slice(1, -1)));
  }
  return Buffer.concat([...parts, Buffer.from(END)]);
}
