import type { Environment } from '../profile/index.js';
import { oneOf } from './define.js';
import { UsageError } from './errors.js';

/** The engines of this version by name. */
export const ENGINE_NAMES = ['docker', 'qemu'] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];

/** What `--engine` takes where vc may choose itself. */
export const ENGINE_CHOICES = ['auto', ...ENGINE_NAMES] as const;
export type EngineChoice = (typeof ENGINE_CHOICES)[number];

/** The flag's value, else VC_ENGINE's, else `auto`. Throws UsageError. */
export function engineChoice(flag: EngineChoice | undefined, env: Environment): EngineChoice {
  if (flag !== undefined) return flag;
  try {
    return env.VC_ENGINE ? oneOf(ENGINE_CHOICES)(env.VC_ENGINE) : 'auto';
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`VC_ENGINE: ${error.message}`) : error;
  }
}
