import type { Environment } from '../profile/index.js';
import type { Output } from './io.js';

/** `--no-color` over FORCE_COLOR over NO_COLOR over what the stream is. */
export function wantsColor(
  stream: Output,
  env: Environment,
  globals: { readonly color: boolean },
): boolean {
  if (!globals.color) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.NO_COLOR) return false;
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** Text of others for a terminal: control characters cannot move the cursor or change colours. */
export function printable(text: string): string {
  // Bidirectional overrides could make one name look like another.
  return text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
