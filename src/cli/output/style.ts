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
