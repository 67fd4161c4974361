import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ApiError } from '../../../contract/errors.js';
import type { EngineImage } from '../../engine.js';
import { names, unlessMissing } from '../disk/files.js';
import { hash, isImageName } from '../ids.js';

/** Schema of an installed image's `image.json`. */
export const imageRecord = z.object({
  name: z.string().refine(isImageName),
  os: z.enum(['linux', 'windows']),
  /** `vc`: built from a recipe, with our desktop and agent. `disk`: any bootable disk. */
  kind: z.enum(['vc', 'disk']),
  /** Hash of the recipe, for kind `vc`. */
  recipeHash: z.string().optional(),
  createdAt: z.iso.datetime(),
  /** Size on the host's disk. */
  bytes: z.number().int().nonnegative(),
  /** How a `disk` boots. */
  firmware: z.enum(['bios', 'uefi']).optional(),
  /** The SSH user; null without an SSH server. */
  shell: z.object({ user: z.string().min(1) }).nullable(),
});

export type ImageRecord = z.infer<typeof imageRecord>;

/** An installed image. */
export interface InstalledImage extends ImageRecord {
  /** Absolute path; has `disk.qcow2` and for kind `vc` also `kernel`, `initrd` and `cmdline`. */
  readonly directory: string;
  /** Changes with the image's content. */
  readonly identity: string;
  /** Kernel command line of a `vc` image. */
  readonly commandLine: string;
}

/** The installed images; incomplete ones are left out. */
export async function listImages(directory: string): Promise<EngineImage[]> {
  const all = await names(directory);
  const found = await Promise.all(all.map((name) => readImage(directory, name)));
  return found.filter((image) => image !== undefined).map(asEngineImage);
}

/** Throws ApiError `image_missing` for an image that is missing or incomplete. */
export async function findImage(directory: string, name: string): Promise<InstalledImage> {
  const image = await readImage(directory, name);
  if (image) return image;
  const remedy = name === 'linux' ? 'vc image build linux --engine qemu' : 'vc image ls';
  throw new ApiError('image_missing', `QEMU has no image ${JSON.stringify(name)}.`, { remedy });
}

/** The private key to log in to an imported disk. */
export async function imageKey(image: InstalledImage): Promise<string | undefined> {
  return unlessMissing(readFile(join(image.directory, 'key'), 'utf8'));
}

export function asEngineImage(image: ImageRecord): EngineImage {
  const { name, os, recipeHash, bytes, createdAt } = image;
  const common = { name, os, bytes, createdAt: new Date(createdAt) };
  return recipeHash === undefined ? common : { ...common, recipeHash };
}

/** Undefined for an image that is missing or incomplete. */
export async function readImage(parent: string, name: string): Promise<InstalledImage | undefined> {
  if (!isImageName(name)) return undefined;
  const directory = join(parent, name);
  try {
    const text = await readFile(join(directory, 'image.json'), 'utf8');
    const image = imageRecord.parse(JSON.parse(text));
    const disk = await stat(join(directory, 'disk.qcow2'));
    const commandLine =
      image.kind === 'vc' ? (await readFile(join(directory, 'cmdline'), 'utf8')).trim() : '';
    const content = [image.recipeHash ?? '', image.createdAt, commandLine];
    const identity = hash(...content, String(disk.size), String(disk.mtimeMs));
    return { ...image, name, directory, identity, commandLine };
  } catch {
    return undefined;
  }
}
