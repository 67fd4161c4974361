import type { Image, ImageList } from '../contract/resources.js';
import { errorMessage } from '../lib/text/error-message.js';
import { hidePaths } from '../lib/text/hide-paths.js';
import type { Engine, EngineImage, Template } from './engine.js';

/** Everything that the engines hold; the failure of one does not hide the images of the others. */
export async function listStoredImages(
  engines: readonly Engine[],
  signal?: AbortSignal,
): Promise<ImageList> {
  const images: Image[] = [];
  const failures: ImageList['failures'] = [];
  const listings = engines.flatMap((engine) => [
    { engine, listing: imagesOf(engine, signal) },
    { engine, listing: templatesOf(engine) },
  ]);
  const results = await Promise.allSettled(listings.map(({ listing }) => listing));
  signal?.throwIfAborted();
  for (const [index, result] of results.entries()) {
    if (result.status === 'fulfilled') images.push(...result.value);
    else {
      const reason = hidePaths(errorMessage(result.reason));
      failures.push({ engine: listings[index]?.engine.name ?? '', reason });
    }
  }
  return { images, failures };
}

async function imagesOf(engine: Engine, signal: AbortSignal | undefined): Promise<Image[]> {
  const images = await engine.images(signal);
  return Promise.all(images.map(async (image) => describeImage(engine, image)));
}

async function describeImage(engine: Engine, image: EngineImage): Promise<Image> {
  const { name, os, bytes, createdAt, recipeHash } = image;
  const isDisk = recipeHash === undefined;
  const isCurrent = isDisk || recipeHash === (await engine.recipeHash(name));
  return {
    name,
    engine: engine.name,
    os,
    kind: isDisk ? 'disk' : 'image',
    status: isCurrent ? 'ready' : 'stale',
    bytes,
    created_at: createdAt.toISOString(),
    recipe_hash: recipeHash ?? null,
    key: null,
    cpu: null,
    ram: null,
    resolution: null,
    used_by: null,
  };
}

async function templatesOf(engine: Engine): Promise<Image[]> {
  const templates = (await engine.templates?.()) ?? [];
  return templates.map((template) => describeTemplate(engine, template));
}

function describeTemplate(engine: Engine, template: Template): Image {
  const { image: name, os, bytes, createdAt, stale, key, cpu, ram, resolution } = template;
  return {
    name,
    engine: engine.name,
    os,
    kind: 'template',
    status: stale ? 'stale' : 'ready',
    bytes,
    created_at: createdAt.toISOString(),
    recipe_hash: null,
    key,
    cpu,
    ram,
    resolution,
    used_by: null,
  };
}
