import type { DockerImage } from '../images/index.js';
import type { Context } from './context.js';
import { CliError, UsageError } from './errors.js';
import { ExitCode } from './exit-codes.js';
import { localEngine } from './local-engine.js';
import { done, note, print, printJson } from './output.js';

export interface ImageRequest {
  readonly name: string;
  readonly method: 'mmdebstrap' | 'dockerfile';
  /** An image of the present recipe is left as it is. */
  readonly ifMissing: boolean;
}

/** Builds an image into this machine's Docker Engine, saying what goes on. */
export async function buildLocalImage(context: Context, request: ImageRequest): Promise<number> {
  const { name } = request;
  const { signal } = context.interrupts;
  const images = await import('../images/index.js');
  const recipes = await images.listRecipes();
  if (!recipes.includes(name)) {
    throw new UsageError(
      `there is no image ${JSON.stringify(name)}`,
      `there is: ${recipes.join(', ')}`,
    );
  }
  // A build takes minutes: whether its result has a place to go is looked at first.
  const probe = await (await localEngine()).probe(signal);
  if (!probe.usable) {
    throw new CliError(`the image has no place to go: ${probe.reason}`, {
      hint: `mend it with: ${probe.remedy}`,
      exitCode: ExitCode.unreachable,
      code: 'engine_unavailable',
    });
  }
  const { connectDocker } = await import('../engines/docker/client.js');
  const docker = connectDocker();
  const present = await images.findImage(docker, name);
  if (request.ifMissing && present?.recipeHash === (await images.recipeHash(name))) {
    await told(context, present, `the image ${name} is there and up to date`);
    return ExitCode.ok;
  }
  const steps = showSteps(context, `Building the image ${name}`);
  context.whenInterrupted('nothing goes on; what was built so far is removed');
  try {
    const image = await images.buildImage(name, {
      docker,
      method: request.method === 'mmdebstrap' ? 'bootstrap' : 'dockerfile',
      signal,
      onProgress: steps.step,
    });
    const seconds = steps.stop();
    const size = Math.round(image.bytes / 1e6);
    await told(context, image, `the image ${name} is ready: ${size} MB, ${seconds} s`);
  } finally {
    steps.stop();
  }
  return ExitCode.ok;
}

async function told(context: Context, image: DockerImage, line: string): Promise<void> {
  const { id, name, os, recipeHash, bytes, createdAt } = image;
  if (context.globals.json) {
    const created_at = createdAt.toISOString();
    await printJson(context, { id, name, os, bytes, created_at, recipe_hash: recipeHash });
  } else if (context.globals.quiet) await print(context, id);
  else await done(context, line);
}

interface Steps {
  step(line: string): void;
  /** Ends the display; the seconds that have passed. */
  stop(): number;
}

/** The present step and the time it took so far: a spinner on a terminal, lines otherwise. */
function showSteps(context: Context, title: string): Steps {
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1000);
  const isLive = context.io.stderr.isTTY === true && !context.env.CI;
  const progress = context.progress(title);
  let current = '';
  const show = () => progress.update(`${title} (${seconds()} s) ${current.slice(0, 60)}`);
  const timer = isLive ? setInterval(show, 1000) : undefined;
  if (!isLive) void note(context, `${title}…`);
  return {
    step: (line) => {
      current = line;
      if (isLive) show();
      else void note(context, `  ${String(seconds()).padStart(4)} s  ${line}`);
    },
    stop: () => {
      clearInterval(timer);
      progress.stop();
      return seconds();
    },
  };
}
