import type { ListenerUid } from '../../client/options.js';
import { UsageError } from '../errors/cli-error.js';
import { value } from '../framework/define.js';

/** The form in which profiles and VC_LISTENER_UID hold it. */
export const listenerUidOption = value(
  '--listener-uid <uid>',
  "trust this user's program on a local port with the key; any: every user (VC_LISTENER_UID)",
  (text) => String(parseListenerUid(text)),
);

/** Parses a uid or `any`. */
export function parseListenerUid(text: string): ListenerUid {
  if (text === 'any') return text;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new UsageError(`the listener uid must be a number or "any", not ${JSON.stringify(text)}`);
}
