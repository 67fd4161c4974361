import { engines } from '../../engines/index.js';
import type { Environment } from '../../profile/index.js';
import { UsageError } from '../errors/cli-error.js';
import { enumerate, oneOf } from '../framework/define.js';

/** Values of `--engine` of commands that are about one engine. */
export const ENGINE_NAMES: readonly string[] = engines.map(({ name }) => name);

/** Values of `--engine` where vc may choose: `auto` is the first engine that can be used. */
export const ENGINE_CHOICES: readonly string[] = ['auto', ...ENGINE_NAMES];

/** The engines that `auto` may choose. */
const AUTOMATIC = engines.filter(({ onlyByName }) => !onlyByName).map(({ name }) => name);

/** Values of `--engine` of commands that only some engines support; the first is the default. */
export function enginesWith(capability: 'import' | 'warm'): string[] {
  return engines.filter(({ images }) => images[capability]).map(({ name }) => name);
}

/** The default of such an `--engine`, for help. */
export const DEFAULT_ENGINE = `VC_ENGINE or auto: the first usable of ${enumerate(AUTOMATIC)}`;

/** The flag's value, else VC_ENGINE's, else `auto`. Throws UsageError. */
export function engineChoice(flag: string | undefined, env: Environment): string {
  if (flag !== undefined) return flag;
  try {
    return env.VC_ENGINE ? oneOf(ENGINE_CHOICES)(env.VC_ENGINE) : 'auto';
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`VC_ENGINE: ${error.message}`) : error;
  }
}
