import { createReadStream } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import type { BuildOptions } from '../../../images/bootstrap.js';
import type { Recipe } from '../../../images/recipe.js';
import { readPackages } from '../../../images/recipe.js';
import { isRemote } from '../client.js';
import { dialectOf, type RootfsImage } from '../dialect.js';
import { LABEL, repository } from '../ids.js';
import { type ContainerImage, listImages } from './list.js';
import { removeUntagged } from './remove.js';

/** The files of a build context, which the Dockerfile refers to by these names. */
const CONTEXT = ['Dockerfile', 'packages', 'setup.sh', 'files'];

/**
 * Runs `work` with a temporary build context of a recipe and the recipes that it builds on. The
 * Dockerfile is that of the first layer.
 */
export async function withContext<T>(
  recipe: Recipe,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'vc-context-'));
  try {
    const scripts: string[] = [];
    for (const layer of recipe.layers) {
      const options = { recursive: true, force: true, verbatimSymlinks: true };
      await cp(join(layer, 'files'), join(directory, 'files'), options);
      scripts.push(await readFile(join(layer, 'setup.sh'), 'utf8'));
    }
    await writeFile(join(directory, 'setup.sh'), scripts.join('\n'));
    await writeFile(join(directory, 'packages'), `${(await readPackages(recipe)).join('\n')}\n`);
    const first = recipe.layers[0] ?? recipe.directory;
    await cp(join(first, 'Dockerfile'), join(directory, 'Dockerfile'));
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The default command of a machine image. */
const INIT = '/usr/lib/vc/init';

/**
 * Imports a root file system into the Engine as `vc/<name>:<12 digits of the hash>` and `:latest`,
 * unless the Engine already has an image of this recipe hash.
 */
export async function importRootfs(
  docker: Docker,
  tarball: string,
  recipe: Version & Pick<Recipe, 'os'>,
  options: BuildOptions = {},
): Promise<ContainerImage> {
  if (!(await findVersion(docker, recipe))) {
    const dialect = dialectOf(docker);
    options.onProgress?.(`importing into the ${dialect.engine}`);
    const image = { tarball, config: configOf(recipe) };
    const id = dialect.importRootfs
      ? await dialect.importRootfs(image, options.signal)
      : await importByApi(docker, image, recipe, options);
    // Podman ignores the tag, and Docker has set it.
    if (id.startsWith('sha256:'))
      await docker.getImage(id).tag({ repo: repository(recipe.name), tag: version(recipe) });
  }
  return tagLatest(docker, recipe);
}

async function importByApi(
  docker: Docker,
  { tarball, config }: RootfsImage,
  recipe: Version,
  options: BuildOptions,
): Promise<string> {
  const how = {
    repo: repository(recipe.name),
    tag: version(recipe),
    changes: [
      ...Object.entries(config.Labels).map(([key, value]) => `LABEL ${key}=${value}`),
      ...config.Env.map((variable) => `ENV ${variable}`),
      `USER ${config.User}`,
      `WORKDIR ${config.WorkingDir}`,
      `CMD ${JSON.stringify(config.Cmd)}`,
    ],
    abortSignal: options.signal,
  };
  const stream =
    dialectOf(docker).readsImports && !isRemote(docker)
      ? await docker.createImage({ ...how, fromSrc: tarball })
      : await docker.importImage(createReadStream(tarball), how);
  return finish(docker, stream, options);
}

function configOf(recipe: Version & Pick<Recipe, 'os'>): RootfsImage['config'] {
  return {
    Labels: labels(recipe),
    Env: ['LANG=C.UTF-8'],
    User: '1000:1000',
    WorkingDir: '/home/user',
    Cmd: [INIT],
  };
}

/** Builds the recipe's Dockerfile in the Engine, which must be able to pull Debian. */
export async function buildDockerfile(
  docker: Docker,
  recipe: Recipe,
  options: BuildOptions = {},
): Promise<ContainerImage> {
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

type Version = Pick<Recipe, 'name' | 'hash'>;

const version = ({ hash }: Version): string => hash.slice(0, 12);

function labels(recipe: Version & Pick<Recipe, 'os'>): Record<string, string> {
  return { [LABEL.image]: recipe.name, [LABEL.recipe]: recipe.hash, [LABEL.os]: recipe.os };
}

async function findVersion(docker: Docker, recipe: Version): Promise<ContainerImage | undefined> {
  const images = await listImages(docker);
  const tag = `${repository(recipe.name)}:${version(recipe)}`;
  return images.find((image) => image.tags.includes(tag) && image.recipeHash === recipe.hash);
}

async function tagLatest(docker: Docker, recipe: Version): Promise<ContainerImage> {
  const made = await findVersion(docker, recipe);
  if (!made)
    throw new Error(`The ${dialectOf(docker).engine} does not list the new image ${recipe.name}.`);
  const image = docker.getImage(made.id);
  await image.tag({ repo: repository(recipe.name), tag: version(recipe) });
  await image.tag({ repo: repository(recipe.name), tag: 'latest' });
  await removeUntagged(docker).catch(() => undefined);
  return (await findVersion(docker, recipe)) ?? made;
}

/**
 * Waits for the end: the Engine answers 200 first and reports failures in the stream. Returns the last
 * status: of an import the id of the image.
 */
async function finish(
  docker: Docker,
  stream: NodeJS.ReadableStream,
  options: BuildOptions,
): Promise<string> {
  let last = '';
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(
      stream,
      (error) => (error ? reject(error) : resolve()),
      (event: { stream?: string; status?: string; error?: string }) => {
        last = event.status ?? last;
        if (event.error) {
          reject(
            new Error(`The ${dialectOf(docker).engine} could not build the image: ${event.error}`),
          );
        } else if (event.stream?.trim()) {
          options.onProgress?.(event.stream.trim());
        }
      },
    );
  });
  options.signal?.throwIfAborted();
  return last;
}
