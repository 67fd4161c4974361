import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, bootstrapLayers } from './bootstrap.js';
import { defaultCacheDirectory } from './cache.js';
import { flush } from './flush.js';
import { withFileLock } from './lock.js';
import { makeDisk } from './make-disk.js';
import { loadVmRecipe, type VmRecipe } from './recipe.js';
import { removeOlder } from './rootfs.js';

export interface DiskOptions extends BuildOptions {
  /** Where built disks are kept. */
  readonly cacheDirectory?: string | undefined;
  /** Writes the files of a built disk into a folder that is there; a test replaces it. */
  readonly build?: typeof buildFiles;
}

/** A virtual machine's image, as paths of files that never change. */
export interface BuiltDisk {
  readonly name: string;
  readonly os: 'linux' | 'windows';
  readonly recipeHash: string;
  /** qcow2, with a file system and nothing else on it: it is started with the kernel beside it. */
  readonly disk: string;
  readonly kernel: string;
  readonly initrd: string;
  /** Holds the kernel's command line; the console is to be added. */
  readonly cmdline: string;
}

/**
 * The disk of a virtual machine of a recipe: from the cache at once, else built, which takes
 * minutes. At most one build runs on the host; whoever else asks waits for it. The folder appears
 * under its name only when all of it is on the disk; older ones of the recipe are removed then.
 */
export async function buildDisk(name: string, options: DiskOptions = {}): Promise<BuiltDisk> {
  const recipe = await loadVmRecipe(name);
  const images = join(options.cacheDirectory ?? defaultCacheDirectory(), 'images');
  const built = describe(recipe, images);
  if (await isThere(built)) return built;
  await mkdir(images, { recursive: true });
  return withFileLock(join(images, `${recipe.name}-vm.lock`), options.signal, async () => {
    if (await isThere(built)) return built;
    await buildInto(directoryOf(recipe, images), recipe, options);
    await removeOlder(images, `${recipe.name}-vm`, recipe.hash);
    return built;
  });
}

/** The built disk if the cache has it. */
export async function findBuiltDisk(
  name: string,
  cacheDirectory: string = defaultCacheDirectory(),
): Promise<BuiltDisk | undefined> {
  const built = describe(await loadVmRecipe(name), join(cacheDirectory, 'images'));
  return (await isThere(built)) ? built : undefined;
}

function directoryOf(recipe: VmRecipe, images: string): string {
  return join(images, `${recipe.name}-vm-${recipe.hash}`);
}

function describe(recipe: VmRecipe, images: string): BuiltDisk {
  const file = (name: string) => join(directoryOf(recipe, images), name);
  return {
    name: recipe.name,
    os: recipe.os,
    recipeHash: recipe.hash,
    disk: file('disk.qcow2'),
    kernel: file('kernel'),
    initrd: file('initrd'),
    cmdline: file('cmdline'),
  };
}

async function isThere(built: BuiltDisk): Promise<boolean> {
  return (await stat(built.disk).catch(() => undefined)) !== undefined;
}

async function buildInto(directory: string, recipe: VmRecipe, options: DiskOptions): Promise<void> {
  const partial = `${directory}.partial`;
  // What another build left here is not whole: it would have been renamed.
  await rm(partial, { recursive: true, force: true });
  try {
    await mkdir(partial);
    await (options.build ?? buildFiles)(recipe, partial, options);
    for (const file of ['disk.qcow2', 'kernel', 'initrd', 'cmdline', '.']) {
      await flush(join(partial, file));
    }
    await rename(partial, directory);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function buildFiles(
  recipe: VmRecipe,
  directory: string,
  options: BuildOptions,
): Promise<void> {
  const tarball = join(directory, 'rootfs.tar');
  await bootstrapLayers(recipe, tarball, options);
  await makeDisk(tarball, directory, options);
  await copyFile(await findCmdline(recipe), join(directory, 'cmdline'));
  await rm(tarball);
}

/** The kernel's command line of the last layer that has one. */
async function findCmdline({ name, layers }: VmRecipe): Promise<string> {
  for (const layer of layers.toReversed()) {
    const path = join(layer, 'cmdline');
    if ((await stat(path).catch(() => undefined)) !== undefined) return path;
  }
  throw new Error(`The recipe ${name} says nothing of a virtual machine's kernel.`);
}
