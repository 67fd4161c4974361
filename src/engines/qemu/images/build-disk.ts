import { chmod, copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { type BuildOptions, bootstrapLayers } from '../../../images/bootstrap.js';
import { imagesDirectory } from '../../../images/cache.js';
import { loadVmRecipe, type VmRecipe } from '../../../images/recipe.js';
import { removeOlder } from '../../../images/rootfs.js';
import { canAccess } from '../../../lib/fs/access.js';
import { withFileLock } from '../../../lib/fs/file-lock.js';
import { flush } from '../../../lib/fs/flush.js';
import { closeToOthers, isOwn } from '../../../lib/fs/own-files.js';

/** Virtual size of the disk; the file is sparse. */
const DISK_SIZE = '64G';
/** Directory in the root file system with the kernel and initrd that QEMU loads. */
const BOOT = 'boot/vc';
/**
 * Unpacks standard input and writes it into a file system. Device nodes are left out: the kernel
 * creates them, and an ordinary user cannot. Lazy initialization keeps the disk small.
 */
const FILE_SYSTEM = `set -eu
tar -x --numeric-owner --same-permissions --xattrs --xattrs-include='*' \\
  --exclude='./dev/*' --exclude='./${BOOT}' -C root
mke2fs -q -t ext4 -L vc -m 1 -E lazy_itable_init=1,lazy_journal_init=1 -d root disk.raw ${DISK_SIZE}
chmod 644 disk.raw`;

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

/**
 * Makes `disk.qcow2`, `kernel` and `initrd` in `directory` from a virtual machine's root file
 * system. Needs twice its size in the temporary directory. Works as root and as an ordinary user.
 */
async function makeDisk(
  tarball: string,
  directory: string,
  { signal, onProgress }: BuildOptions,
): Promise<void> {
  const cancel = signal ? { cancelSignal: signal } : {};
  const names = ['kernel', 'initrd'].map((name) => `./${BOOT}/${name}`);
  await execa('tar', ['-x', '--strip-components=3', '-C', directory, '-f', tarball, ...names], {
    ...cancel,
  });
  const scratch = await mkdtemp(join(tmpdir(), 'vc-disk-'));
  // The parent is private to this user; its subordinate users must be able to write here.
  const work = join(scratch, 'work');
  try {
    for (const folder of [work, join(work, 'root')]) {
      await mkdir(folder);
      await chmod(folder, 0o777);
    }
    onProgress?.('writing the file system');
    const [program, ...args] = asMachineRoot('sh', '-c', FILE_SYSTEM);
    await execa(program, args, { cwd: work, inputFile: tarball, ...cancel });
    onProgress?.('writing the disk');
    // Not compressed: every start reads it, and all machines share it.
    const target = join(directory, 'disk.qcow2');
    await execa('qemu-img', convertArguments(join(work, 'disk.raw'), target), { ...cancel });
    await chmod(target, 0o444);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new Error(`The disk could not be made: ${lastLines(cause)}`, { cause });
  } finally {
    const [program, ...args] = asMachineRoot('rm', '-rf', 'root', 'disk.raw');
    await execa(program, args, { cwd: work, reject: false });
    await rm(scratch, { recursive: true, force: true });
  }
}

function convertArguments(raw: string, target: string): string[] {
  return ['convert', '-f', 'raw', '-O', 'qcow2', '-W', raw, target];
}

/** As root of a user namespace with subordinate ids, unless this is root already. */
function asMachineRoot(...argv: [string, ...string[]]): [string, ...string[]] {
  return process.getuid?.() === 0 ? argv : ['mmdebstrap', '--unshare-helper', ...argv];
}

function lastLines(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  return text.trim().split('\n').slice(-5).join('\n') || String(error);
}
