import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ApiError } from '../../contract/errors.js';
import type { EngineImage } from '../engine.js';
import { names, unlessMissing } from './files.js';
import { hash, isImageName } from './ids.js';

const imageSchema = z.object({
  name: z.string(),
  os: z.enum(['linux', 'windows']),
  /** `vc`: our own image with its agent; `disk`: somebody's disk, of which nothing is known. */
  kind: z.enum(['vc', 'disk']),
  recipeHash: z.string().optional(),
  createdAt: z.string(),
  bytes: z.number(),
  firmware: z.enum(['bios', 'uefi']).optional(),
  shell: z.object({ user: z.string(), privateKey: z.unknown().optional() }).nullable(),
});

/** An image that is there to make machines from. */
export interface InstalledImage extends z.infer<typeof imageSchema> {
  readonly directory: string;
  /** Changes with the image's content. */
  readonly identity: string;
  /** Kernel command line of a `vc` image. */
  readonly commandLine: string;
}

/** The installed images; what is not whole is left out. */
export async function listImages(directory: string): Promise<EngineImage[]> {
  const found = await Promise.all((await names(directory)).map((name) => read(directory, name)));
  return found.flatMap((image) => {
    if (image === undefined) return [];
    const { name, os, bytes, createdAt, recipeHash } = image;
    const common = { name, os, bytes, createdAt: new Date(createdAt) };
    return [recipeHash === undefined ? common : { ...common, recipeHash }];
  });
}

/** Throws ApiError `image_missing` when it is not there or not whole. */
export async function findImage(directory: string, name: string): Promise<InstalledImage> {
  const image = await read(directory, name);
  if (image) return image;
  const remedy = name === 'linux' ? 'vc image build linux --engine qemu' : 'vc image ls';
  throw new ApiError('image_missing', `QEMU has no image ${JSON.stringify(name)}. Try: ${remedy}`);
}

/** The private key that an imported disk is logged in to with. */
export async function imageKey(image: InstalledImage): Promise<string | undefined> {
  return unlessMissing(readFile(join(image.directory, 'key'), 'utf8'));
}

async function read(parent: string, name: string): Promise<InstalledImage | undefined> {
  if (!isImageName(name)) return undefined;
  const directory = join(parent, name);
  try {
    const text = await readFile(join(directory, 'image.json'), 'utf8');
    const image = imageSchema.parse(JSON.parse(text));
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
