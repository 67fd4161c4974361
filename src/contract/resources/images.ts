import { z } from 'zod';
import { ImageName, SnapshotName, Timestamp } from '../primitives.js';
import { Os, ScreenSize } from './computers.js';

/** A machine image, or a template: a booted machine to start others of its shape from. */
export const Image = z
  .object({
    name: z.string().meta({ description: 'Name of the image.', examples: ['linux'] }),
    engine: z.string().describe('Engine that has the image, for example `qemu`.'),
    os: Os.describe('Operating system of its computers.'),
    kind: z
      .enum(['image', 'disk', 'template', 'saved'])
      .describe(
        "`image` was built from a recipe, `disk` was imported, `template` is a booted machine that others start from. `saved` is the owner's own, saved from a computer.",
      ),
    status: z
      .enum(['ready', 'stale'])
      .describe('`stale`: the recipe, or the image of a template, has changed since.'),
    bytes: z
      .number()
      .int()
      .meta({ description: 'Size in bytes.', examples: [1073741824] }),
    created_at: Timestamp.describe('When it was made.'),
    recipe_hash: z
      .string()
      .nullable()
      .meta({
        description: 'Hash of the recipe it was built from; null if there is none.',
        examples: ['3f7a9c'],
      }),
    key: z
      .string()
      .nullable()
      .meta({
        description: 'Of a template: its key; otherwise null.',
        examples: ['linux-2-2-1280x800'],
      }),
    cpu: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Of a template: number of cores; otherwise null.', examples: [2] }),
    ram: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Of a template: memory in GB; otherwise null.', examples: [2] }),
    resolution: ScreenSize.nullable().describe('Of a template: the screen; otherwise null.'),
    used_by: z
      .number()
      .int()
      .nullable()
      .meta({
        description:
          'Of a saved image: how many computers were made from it, which keep it from being deleted; otherwise null.',
        examples: [0],
      }),
  })
  .meta({ id: 'Image', description: 'A machine image or template.' });

export const ImageList = z
  .object({
    images: z.array(Image).describe('Images of all engines.'),
    failures: z
      .array(
        z.object({
          engine: z.string().describe('Name of the engine, for example `qemu`.'),
          reason: z.string().meta({
            description: 'Why, in one line.',
            examples: ['The engine cannot be reached.'],
          }),
        }),
      )
      .describe('Engines that could not list their images.'),
  })
  .meta({ id: 'ImageList', description: 'Machine images of the service.' });

/** Answered as an image of the kind `saved`. */
export const SaveImage = z
  .object({
    name: ImageName.describe(
      'Name of the image. An own one of that name is replaced; `linux` and `wine` are reserved.',
    ),
    computer: z
      .string({ error: 'must be the id of a computer, or PROJECT/NAME' })
      .min(1, 'must be the id of a computer, or PROJECT/NAME')
      .max(400, 'must be the id of a computer, or PROJECT/NAME')
      .meta({
        description: 'Id of the computer, or its project and name such as `demo/desktop`.',
        examples: ['demo/desktop'],
      }),
    snapshot: SnapshotName.optional().describe(
      'Name of a snapshot of the computer to save. Without it the computer as it is now.',
    ),
  })
  .meta({ id: 'SaveImage', description: 'An image to save from a computer.' });

export type Image = z.infer<typeof Image>;
export type ImageList = z.infer<typeof ImageList>;
