import { createReadStream } from 'node:fs';
import type Docker from 'dockerode';
import type { BuildOptions } from './bootstrap.js';
import { CONTEXT, withContext } from './context.js';
import type { Recipe } from './recipe.js';

/** Labels that mark an image as one of ours. */
export const LABELS = { image: 'sh.vc.image', recipe: 'sh.vc.recipe', os: 'sh.vc.os' } as const;

/** What runs in a container of a machine image, unless the engine says otherwise. */
const INIT = '/usr/lib/vc/init';

/** A machine image that a Docker Engine holds. */
export interface DockerImage {
  /** The Engine's id, `sha256:…`. */
  readonly id: string;
  /** Name of the recipe. */
  readonly name: string;
  readonly os: string;
  /** Hash of the recipe that it was made from. */
  readonly recipeHash: string;
  /** `vc/<name>:<tag>`. */
  readonly tags: readonly string[];
  readonly bytes: number;
  readonly createdAt: Date;
}

/**
 * Our images on this Engine, the newest first. The tag counts besides the label: an image committed
 * from a computer inherits its labels, and must never be taken for what computers are made from.
 */
export async function listImages(docker: Docker): Promise<DockerImage[]> {
  const found = await docker.listImages({ filters: { label: [LABELS.image] } });
  return found
    .map((image) => {
      const name = image.Labels?.[LABELS.image] ?? '';
      return {
        id: image.Id,
        name,
        os: image.Labels?.[LABELS.os] ?? 'linux',
        recipeHash: image.Labels?.[LABELS.recipe] ?? '',
        tags: (image.RepoTags ?? []).filter((tag) => tag.startsWith(`${repository(name)}:`)),
        bytes: image.Size,
        createdAt: new Date(image.Created * 1000),
      };
    })
    .filter((image) => image.tags.length > 0)
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
}

/** The image in use for a name: the one tagged `latest`, else the newest. */
export async function findImage(docker: Docker, name: string): Promise<DockerImage | undefined> {
  const images = (await listImages(docker)).filter((image) => image.name === name);
  return images.find((image) => image.tags.includes(`${repository(name)}:latest`)) ?? images[0];
}

/**
 * Streams a root file system into the Engine as `vc/<name>:<12 digits of the hash>` and `:latest`.
 * Nothing is sent when the Engine has an image of this recipe hash already.
 */
export async function importRootfs(
  docker: Docker,
  tarball: string,
  recipe: Pick<Recipe, 'name' | 'hash' | 'os'>,
  options: BuildOptions = {},
): Promise<DockerImage> {
  if (!(await findVersion(docker, recipe))) {
    options.onProgress?.('importing into the Docker Engine');
    const stream = await docker.importImage(createReadStream(tarball), {
      repo: repository(recipe.name),
      tag: version(recipe),
      changes: [
        ...Object.entries(labels(recipe)).map(([key, value]) => `LABEL ${key}=${value}`),
        'ENV LANG=C.UTF-8',
        'USER 1000:1000',
        'WORKDIR /home/user',
        `CMD ["${INIT}"]`,
      ],
      abortSignal: options.signal,
    });
    await finish(docker, stream, options);
  }
  return tagLatest(docker, recipe);
}

/** Lets the Engine build the recipe's Dockerfile, for which it must be able to pull Debian. */
export async function buildDockerfile(
  docker: Docker,
  recipe: Recipe,
  options: BuildOptions = {},
): Promise<DockerImage> {
  if (!(await findVersion(docker, recipe))) {
    await withContext(recipe, async (context) => {
      const stream = await docker.buildImage(
        { context, src: CONTEXT },
        {
          t: `${repository(recipe.name)}:${version(recipe)}`,
          labels: labels(recipe),
          ...(options.signal && { abortSignal: options.signal }),
        },
      );
      await finish(docker, stream, options);
    });
  }
  return tagLatest(docker, recipe);
}

const repository = (name: string): string => `vc/${name}`;
const version = (recipe: Pick<Recipe, 'hash'>): string => recipe.hash.slice(0, 12);

function labels(recipe: Pick<Recipe, 'name' | 'hash' | 'os'>): Record<string, string> {
  return { [LABELS.image]: recipe.name, [LABELS.recipe]: recipe.hash, [LABELS.os]: recipe.os };
}

async function findVersion(
  docker: Docker,
  recipe: Pick<Recipe, 'name' | 'hash'>,
): Promise<DockerImage | undefined> {
  const images = await listImages(docker);
  const tag = `${repository(recipe.name)}:${version(recipe)}`;
  return images.find((image) => image.tags.includes(tag) && image.recipeHash === recipe.hash);
}

async function tagLatest(
  docker: Docker,
  recipe: Pick<Recipe, 'name' | 'hash'>,
): Promise<DockerImage> {
  const made = await findVersion(docker, recipe);
  if (!made) {
    throw new Error(
      `The Docker Engine took the image ${recipe.name} but does not list it; try again.`,
    );
  }
  const image = docker.getImage(made.id);
  await image.tag({ repo: repository(recipe.name), tag: version(recipe) });
  await image.tag({ repo: repository(recipe.name), tag: 'latest' });
  return (await findVersion(docker, recipe)) ?? made;
}

/** The Engine answers 200 first and reports a failure as a message in the stream. */
async function finish(
  docker: Docker,
  stream: NodeJS.ReadableStream,
  options: BuildOptions,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(
      stream,
      (error) => (error ? reject(error) : resolve()),
      (event: { stream?: string; error?: string }) => {
        if (event.error) {
          reject(new Error(`The Docker Engine could not make the image: ${event.error}`));
        } else if (event.stream?.trim()) {
          options.onProgress?.(event.stream.trim());
        }
      },
    );
  });
  options.signal?.throwIfAborted();
}
