import type { Engine, EngineImage } from '../../engines/engine.js';
import { stateDirectory } from '../../profile/index.js';
import type { Context } from '../context.js';
import { CliError } from '../errors.js';
import { ExitCode } from '../exit-codes.js';
import type { Here } from '../local-engines.js';
import { done, print, printJson } from '../output.js';

/** An image that an engine of this machine holds. */
export interface Stored extends EngineImage {
  readonly engine: string;
  /** The engine's own id, where it has one. */
  readonly id?: string;
}

/** Where the service on this machine keeps its state, whether it runs or not. */
export function here({ env }: Context): Here {
  return { env, stateDirectory: stateDirectory(env) };
}

/** Throws with what mends it when the engine cannot be used. */
export async function needUsable(engine: Engine, why: string, signal: AbortSignal): Promise<void> {
  const probe = await engine.probe(signal);
  if (probe.usable) return;
  throw new CliError(`${why}: ${probe.reason}`, {
    hint: `mend it with: ${probe.remedy}`,
    exitCode: ExitCode.unreachable,
    code: 'engine_unavailable',
  });
}

/** Says that an image is there: a line for a person, a document for a program. */
export async function toldOf(context: Context, image: Stored, line: string): Promise<void> {
  const { engine, id, name, os, recipeHash, bytes, createdAt } = image;
  if (context.globals.json) {
    const created_at = createdAt.toISOString();
    const recipe_hash = recipeHash ?? null;
    await printJson(context, { engine, id: id ?? null, name, os, bytes, created_at, recipe_hash });
  } else if (context.globals.quiet) await print(context, id ?? name);
  else await done(context, line);
}
