import type { Context } from '../context.js';
import { CliError } from '../errors.js';
import { ExitCode } from '../exit-codes.js';
import { localQemu } from '../local-engines.js';
import type { Listed } from './list.js';
import { here } from './stored.js';

/** Removes an image and what was made of it to start faster; computers made from it stay whole. */
export async function removeStored(context: Context, { name, engine }: Listed): Promise<void> {
  return engine === 'docker' ? removeFromDocker(name) : removeFromQemu(context, name);
}

async function removeFromQemu(context: Context, name: string): Promise<void> {
  const { qemuStore } = await import('./qemu-store.js');
  const qemu = await localQemu(here(context));
  // The image first: from then on no new template of it can be begun.
  await qemuStore(here(context)).remove(name, context.interrupts.signal);
  for (const { key, image } of await qemu.templates()) {
    if (image === name) await qemu.removeTemplate(key);
  }
}

async function removeFromDocker(name: string): Promise<void> {
  const { connectDocker } = await import('../../engines/docker/client.js');
  const { listImages } = await import('../../images/index.js');
  const docker = connectDocker();
  const images = (await listImages(docker)).filter((image) => image.name === name);
  // A container needs its image; looked at before the first tag goes, so that it is all or nothing.
  const filters = { ancestor: images.map(({ id }) => id) };
  const users = await docker.listContainers({ all: true, filters });
  if (users.length > 0) {
    const computers = users.length === 1 ? 'a computer' : `${users.length} computers`;
    throw new CliError(`the image ${name} is in use by ${computers}`, {
      hint: 'delete what was made from it first; see: vc computer ls --all',
      exitCode: ExitCode.conflict,
      code: 'conflict',
    });
  }
  for (const tag of images.flatMap((image) => image.tags)) await docker.getImage(tag).remove();
}
