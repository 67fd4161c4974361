import type { ViewEvent } from '../../contract/sockets/view.js';
import { jsonBytes } from '../../lib/json/bytes.js';
import type { CopiedText } from '../../screen/types.js';

const messages = new WeakMap<CopiedText, Promise<Buffer>>();

/** The event `clipboard` for a text, as JSON. It is made once for all views, in pieces. */
export function clipboardMessage(copied: CopiedText): Promise<Buffer> {
  const known = messages.get(copied);
  if (known !== undefined) return known;
  const event: ViewEvent = { type: 'clipboard', text: copied.text };
  const message = jsonBytes(event);
  messages.set(copied, message);
  return message;
}
