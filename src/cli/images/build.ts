import { engineNamed } from '../../engines/select.js';
import { imageNamed } from '../../images/default-images.js';
import { stateDirectory } from '../../profile/index.js';
import { UsageError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { showSteps } from '../output/steps.js';
import { preferredEngine } from '../targets/local-engines.js';
import { needUsable, reportImage } from './stored.js';

export interface ImageRequest {
  readonly name: string;
  readonly engine: string;
  /** The engine's default if left out. */
  readonly method: string | undefined;
  /** Keep an image of the present recipe. */
  readonly ifMissing: boolean;
}

/** Builds an image for an engine of this machine and shows the progress. */
export async function buildLocalImage(context: Context, request: ImageRequest): Promise<number> {
  const name = imageNamed(request.name);
  const { signal } = context.interrupts;
  const { listRecipes } = await import('../../images/recipe.js');
  const recipes = await listRecipes();
  if (!recipes.includes(name)) {
    const problem = `there is no image ${JSON.stringify(name)}`;
    throw new UsageError(problem, `there is: ${recipes.join(', ')}`);
  }
  const directory = stateDirectory(context.env);
  const engine = await preferredEngine(request.engine, directory);
  const { images } = engineNamed(engine.name);
  const { method = images.methods[0] ?? '' } = request;
  if (!images.methods.includes(method)) {
    const known = images.methods.join(', ');
    throw new UsageError(`${engine.name} has no build method ${method}; it has: ${known}`);
  }
  // Checked first, because a build takes minutes.
  await needUsable(engine, 'the image cannot be stored', signal);
  const hash = await engine.recipeHash(name);
  const present = (await engine.images(signal)).find((image) => image.name === name);
  if (request.ifMissing && present !== undefined && present.recipeHash === hash) {
    const line = `the image ${name} is up to date`;
    await reportImage(context, { ...present, engine: engine.name }, line);
    return ExitCode.ok;
  }
  const steps = showSteps(context, `Building the image ${name} for ${engine.name}`);
  context.whenInterrupted('the build stops; its files are removed');
  try {
    const work = { name, method, signal, onProgress: steps.step };
    const image = { ...(await images.build(directory, work)), engine: engine.name };
    const seconds = steps.stop();
    const size = Math.round(image.bytes / 1e6);
    await reportImage(context, image, `the image ${name} is ready: ${size} MB, ${seconds} s`);
  } finally {
    steps.stop();
  }
  return ExitCode.ok;
}
