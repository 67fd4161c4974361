import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { BuildOptions } from '../../../images/bootstrap.js';

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

/**
 * Makes `disk.qcow2`, `kernel` and `initrd` in `directory` from a virtual machine's root file
 * system. Needs twice its size in the temporary directory. Works as root and as an ordinary user.
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
