import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { KvmVerdict } from '../../engines/qemu/acceleration/index.js';
import type { Surroundings } from './check.js';

/**
 * Whether guests run with KVM here, as the service finds it out: by booting the kernel of an image.
 * Undefined where there is no image to try it with.
 */
export async function kvmVerdict({
  stateDirectory,
  signal,
}: Surroundings): Promise<KvmVerdict | undefined> {
  const root = join(stateDirectory, 'qemu');
  const images = join(root, 'images');
  for (const name of (await readdir(images).catch(() => [])).sort()) {
    const [kernel, initrd] = [join(images, name, 'kernel'), join(images, name, 'initrd')];
    if (!(await isThere(kernel)) || !(await isThere(initrd))) continue;
    const { probeKvm } = await import('../../engines/qemu/acceleration/index.js');
    const program = 'qemu-system-x86_64';
    return probeKvm({ stateDirectory: root, program, kernel, initrd, signal });
  }
  return undefined;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
