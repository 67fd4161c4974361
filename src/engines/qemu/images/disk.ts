import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BuildOptions, bootstrapLayers } from '../../../images/bootstrap.js';
import { imagesDirectory } from '../../../images/cache.js';
import { loadVmRecipe, type VmRecipe } from '../../../images/recipe.js';
import { removeOlder } from '../../../images/rootfs.js';
import { canAccess } from '../../../lib/fs/access.js';
import { withFileLock } from '../../../lib/fs/file-lock.js';
import { flush } from '../../../lib/fs/flush.js';
import { closeToOthers, isOwn } from '../../../lib/fs/own-files.js';
import { makeDisk } from './make-disk.js';

export interface DiskOptions extends BuildOptions {
  readonly cacheDirectory?: string | undefined;
  /** Writes the files of a built disk into an existing directory; replaced in tests. */
  readonly build?: typeof buildFiles;
}

/** A built image of a virtual machine: paths of files that never change. */
export interface BuiltDisk {
  readonly name: string;
  readonly os: 'linux' | 'windows';
  readonly recipeHash: string;
  /** qcow2 with one file system and no boot loader: QEMU loads `kernel` and `initrd` directly. */
  readonly disk: string;
  readonly kernel: string;
  readonly initrd: string;
  /** A file with the kernel's command line, without a console. */
  readonly cmdline: string;
}

/**
 * The disk of a recipe's virtual machine, from the cache or built, which takes minutes. Builds of a
 * recipe run one at a time on the host; other callers wait for the result. The directory appears
 * under its name when it is complete; older builds of the recipe are then removed. One that others
 * can have written is built again.
 */
export async function buildDisk(name: string, options: DiskOptions = {}): Promise<BuiltDisk> {
  const recipe = await loadVmRecipe(name);
  const images = await imagesDirectory(options.cacheDirectory);
  const built = describe(recipe, images);
  if (await isUsable(built)) return built;
  return withFileLock(join(images, `${recipe.name}-vm.lock`), options.signal, async () => {
    if (await isUsable(built)) return built;
    await buildInto(directoryOf(recipe, images), recipe, options);
    await removeOlder(images, `${recipe.name}-vm`, recipe.hash);
    return built;
  });
}

async function isUsable({ disk, kernel, initrd, cmdline }: BuiltDisk): Promise<boolean> {
  if (!(await isOwn(dirname(disk), 'directory'))) return false;
  const own = await Promise.all([disk, kernel, initrd, cmdline].map((path) => isOwn(path, 'file')));
  return own.every(Boolean);
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

async function buildInto(directory: string, recipe: VmRecipe, options: DiskOptions): Promise<void> {
  const partial = `${directory}.partial`;
  // Left by an interrupted build.
  await rm(partial, { recursive: true, force: true });
  try {
    await mkdir(partial, { mode: 0o755 });
    await (options.build ?? buildFiles)(recipe, partial, options);
    for (const file of ['disk.qcow2', 'kernel', 'initrd', 'cmdline', '.']) {
      await closeToOthers(join(partial, file));
      await flush(join(partial, file));
    }
    // One that is not usable.
    await rm(directory, { recursive: true, force: true });
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
    if (await canAccess(path)) return path;
  }
  throw new Error(`The recipe ${name} has no kernel command line for a virtual machine.`);
}
