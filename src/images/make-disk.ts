import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { BuildOptions } from './bootstrap.js';

/** What the disk can grow to. Its file takes the room of what is on it. */
const DISK_SIZE = '64G';
/** Where the recipe leaves what a machine is started with, from outside of its disk. */
const BOOT = 'boot/vc';

/**
 * Unpacks standard input and writes it into a file system. Devices are left out: the kernel makes
 * them, and an ordinary user cannot. Nothing is written ahead of its use, so that the disk is small.
 */
const FILE_SYSTEM = `set -eu
tar -x --numeric-owner --same-permissions --xattrs --xattrs-include='*' \\
  --exclude='./dev/*' --exclude='./${BOOT}' -C root
mke2fs -q -t ext4 -L vc -m 1 -E lazy_itable_init=1,lazy_journal_init=1 -d root disk.raw ${DISK_SIZE}
chmod 644 disk.raw`;

/**
 * Makes `disk.qcow2`, `kernel` and `initrd` in `directory` of a virtual machine's root file system.
 * Needs what is on it twice in the temporary folder. Works as root and as an ordinary user.
 */
export async function makeDisk(
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
  // Only this program comes here, but its subordinate users must be able to write.
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
    // Not compressed: it is read again at every start, and shared between all machines.
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
