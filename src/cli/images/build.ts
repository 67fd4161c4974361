import { imageNamed } from '../../contract/default-images.js';
import type { Context } from '../context.js';
import type { EngineChoice, EngineName } from '../engine-choice.js';
import { UsageError } from '../errors.js';
import { ExitCode } from '../exit-codes.js';
import { preferredEngine } from '../local-engines.js';
import { showSteps } from '../steps.js';
import { here, needUsable, type Stored, toldOf } from './stored.js';

export interface ImageRequest {
  readonly name: string;
  readonly engine: EngineChoice;
  readonly method: 'mmdebstrap' | 'dockerfile';
  /** An image of the present recipe is left as it is. */
  readonly ifMissing: boolean;
}

/** Builds an image for an engine of this machine, saying what goes on. */
export async function buildLocalImage(context: Context, request: ImageRequest): Promise<number> {
  const name = imageNamed(request.name);
  const { signal } = context.interrupts;
  const { listRecipes } = await import('../../images/index.js');
  const recipes = await listRecipes();
  if (!recipes.includes(name)) {
    const problem = `there is no image ${JSON.stringify(name)}`;
    throw new UsageError(problem, `there is: ${recipes.join(', ')}`);
  }
  const engine = await preferredEngine(request.engine, here(context));
  // A build takes minutes: whether its result has a place to go is looked at first.
  await needUsable(engine, 'the image has no place to go', signal);
  const { currentRecipeHash } = await import('./recipes.js');
  const hash = await currentRecipeHash(name, engine.name);
  const present = (await engine.images(signal)).find((image) => image.name === name);
  if (request.ifMissing && present !== undefined && present.recipeHash === hash) {
    const line = `the image ${name} is there and up to date`;
    await toldOf(context, { ...present, engine: engine.name }, line);
    return ExitCode.ok;
  }
  const steps = showSteps(context, `Building the image ${name} for ${engine.name}`);
  context.whenInterrupted('nothing goes on; what was built so far is removed');
  try {
    const build = builders[engine.name as EngineName];
    const image = await build(context, { ...request, name }, steps.step);
    const seconds = steps.stop();
    const size = Math.round(image.bytes / 1e6);
    await toldOf(context, image, `the image ${name} is ready: ${size} MB, ${seconds} s`);
  } finally {
    steps.stop();
  }
  return ExitCode.ok;
}

type Build = (
  context: Context,
  request: ImageRequest,
  onProgress: (line: string) => void,
) => Promise<Stored>;

const builders: Readonly<Record<EngineName, Build>> = {
  docker: async ({ interrupts }, { name, method }, onProgress) => {
    const { buildImage } = await import('../../images/index.js');
    const { connectDocker } = await import('../../engines/docker/client.js');
    const image = await buildImage(name, {
      docker: connectDocker(),
      method: method === 'mmdebstrap' ? 'bootstrap' : 'dockerfile',
      signal: interrupts.signal,
      onProgress,
    });
    return { ...image, os: image.os === 'windows' ? 'windows' : 'linux', engine: 'docker' };
  },
  qemu: async (context, { name, method }, onProgress) => {
    if (method === 'dockerfile') {
      throw new UsageError('the method dockerfile is for the engine docker');
    }
    const { qemuStore } = await import('./qemu-store.js');
    const { signal } = context.interrupts;
    const image = await qemuStore(here(context)).build(name, { signal, onProgress });
    return { ...image, engine: 'qemu' };
  },
};
