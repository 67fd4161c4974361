import { join } from 'node:path';
import type { MachineSpec } from '../../engine.js';
import { linkOrCopy } from '../disk/files.js';
import { shareFiles } from '../disk/layers.js';
import { diskSize } from '../disk/qcow2.js';
import { findImage, type InstalledImage, imageKey, readImage } from '../images/installed.js';
import { FILES, type Layout } from '../layout.js';
import type { SavedMemory, SavedRecord } from '../snapshots/saved/record.js';
import { SavedStore } from '../snapshots/saved/store.js';
import { NEW_VARIABLES } from './arguments.js';
import type { MachineRecord } from './machine-record.js';

/** What a machine starts from: an installed image or a saved disk. */
export interface Base {
  readonly image: MachineRecord['image'];
  /** Frozen disk files, from the lowest layer. */
  readonly layers: readonly string[];
  /** Path of the first UEFI variables. */
  readonly variables: string;
  /** The memory of a machine that ran, with the path of its file. */
  readonly memory: (SavedMemory & { readonly path: string }) | null;
  /** Links the layers and boot files into a directory, so that the base can be removed. */
  link(directory: string): Promise<void>;
}

/** Throws ApiError `image_missing`, or `not_found` for a saved disk. */
export async function findBase(
  layout: Layout,
  { image, from }: Pick<MachineSpec, 'image' | 'from'>,
): Promise<Base> {
  if (from === undefined) return imageBase(await findImage(layout.images, image));
  const saved = new SavedStore(layout);
  return savedBase(saved.of(from.id), await saved.get(from.id));
}

/** The `identity` of a base; undefined if it does not exist. */
export async function findIdentity(
  layout: Layout,
  { image, from }: Pick<MachineSpec, 'image' | 'from'>,
): Promise<string | undefined> {
  if (from === undefined) return (await readImage(layout.images, image))?.identity;
  return (await new SavedStore(layout).find(from.id))?.id;
}

export async function imageBase(image: InstalledImage): Promise<Base> {
  const { kind, os, identity, commandLine, firmware = 'bios', shell } = image;
  const diskBytes = await diskSize(join(image.directory, 'disk.qcow2'));
  const privateKey = kind === 'disk' ? ((await imageKey(image)) ?? null) : null;
  const user = shell?.user ?? null;
  return {
    image: { kind, os, identity, firmware, commandLine, user, privateKey, diskBytes },
    layers: [FILES.image],
    variables: NEW_VARIABLES,
    memory: null,
    link: async (directory) => {
      const link = (from: string, to: string) =>
        linkOrCopy(join(image.directory, from), join(directory, to));
      await link('disk.qcow2', FILES.image);
      if (kind === 'vc') {
        await Promise.all([link('kernel', FILES.kernel), link('initrd', FILES.initrd)]);
      }
    },
  };
}

function savedBase(directory: string, saved: SavedRecord): Base {
  const { id, image, layers, memory } = saved;
  return {
    // Templates of what one base starts do not fit another.
    image: { ...image, identity: id },
    layers,
    variables: join(directory, FILES.variables),
    memory: memory && { ...memory, path: join(directory, FILES.state) },
    link: (target) => shareFiles(directory, target, saved),
  };
}
