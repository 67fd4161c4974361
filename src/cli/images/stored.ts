import type { Engine, EngineImage } from '../../engines/engine.js';
import { CliError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { done, print, printJson } from '../output/print.js';

/** An image that an engine of this machine holds. */
export interface Stored extends EngineImage {
  readonly engine: string;
}

/** Throws with a remedy when the engine cannot be used. */
export async function needUsable(engine: Engine, why: string, signal: AbortSignal): Promise<void> {
  const probe = await engine.probe(signal);
  if (probe.usable) return;
  throw new CliError(`${why}: ${probe.reason}`, {
    remedy: probe.remedy,
    exitCode: ExitCode.unreachable,
    code: 'engine_unavailable',
  });
}

/** Reports an image: a line for a person, a document for a program. */
export async function reportImage(context: Context, image: Stored, line: string): Promise<void> {
  const { engine, id, name, os, recipeHash, bytes, createdAt } = image;
  if (context.globals.json) {
    const created_at = createdAt.toISOString();
    const recipe_hash = recipeHash ?? null;
    await printJson(context, { engine, id: id ?? null, name, os, bytes, created_at, recipe_hash });
  } else if (context.globals.quiet) await print(context, id ?? name);
  else await done(context, line);
}
