import type { Environment } from '../../profile/index.js';
import type { Output } from '../framework/io.js';

/** Precedence: `--no-color`, FORCE_COLOR, NO_COLOR, whether the stream is a terminal. */
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

/** Control characters, and those that change the direction or meaning of the text around them. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/gu;

/** Replaces unsafe characters, so that untrusted text cannot control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(UNSAFE, '\ufffd');
}

/** Escapes unsafe characters in JSON that is shown on a terminal; its value stays the same. */
export function printableJson(json: string): string {
  const escaped = (unsafe: string) => `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replaceAll(UNSAFE, (unsafe) => (unsafe === '\n' ? unsafe : escaped(unsafe)));
}
