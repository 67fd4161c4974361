import { z } from 'zod';

export const IMAGE_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** What `image.json` of an installed image holds. */
export const imageRecord = z.object({
  name: z.string().regex(IMAGE_NAME),
  os: z.enum(['linux', 'windows']),
  /** `vc`: built from a recipe, with our own desktop and agent in it. `disk`: anything that boots. */
  kind: z.enum(['vc', 'disk']),
  /** Hash of the recipe, of kind `vc`. */
  recipeHash: z.string().optional(),
  createdAt: z.iso.datetime(),
  /** What it takes of the host's disk. */
  bytes: z.number().int().nonnegative(),
  /** How a `disk` boots. */
  firmware: z.enum(['bios', 'uefi']).optional(),
  /** Who logs in over SSH; null where there is no SSH. */
  shell: z.object({ user: z.string().min(1) }).nullable(),
});

export type ImageRecord = z.infer<typeof imageRecord>;

/** An image that machines can be made from. */
export interface InstalledImage extends Omit<ImageRecord, 'shell'> {
  /** The private key is that of an imported image that was given one. */
  readonly shell: { readonly user: string; readonly privateKey?: string } | null;
  /** Absolute path of its folder: `disk.qcow2`, and of kind `vc` also `kernel`, `initrd`, `cmdline`. */
  readonly directory: string;
}

/** Throws an `Error` that says what a name may be. */
export function checkName(name: string): void {
  if (!IMAGE_NAME.test(name)) {
    throw new Error(
      `${JSON.stringify(name.slice(0, 64))} cannot be an image's name: 1 to 32 of a-z, 0-9 and "-", not "-" first.`,
    );
  }
}
