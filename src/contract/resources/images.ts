import { z } from 'zod';
import { ImageName, queryFlag, SnapshotName, Timestamp, text } from '../primitives.js';
import { Os, ScreenSize } from './computers.js';

/** A machine image, or a template: a booted machine to start others of its shape from. */
export const Image = z
  .object({
    name: z.string().meta({ description: 'Name of the image.', examples: ['linux'] }),
    engine: z.string().describe('Engine that has the image, for example `qemu`.'),
    os: Os.describe('Operating system of its computers.'),
    kind: z
      .enum(['image', 'disk', 'template', 'saved', 'shared'])
      .describe(
        "`image` was built from a recipe, `disk` was imported, `template` is a booted machine that others start from. `saved` is the owner's own, saved from a computer or built from a Dockerfile; `shared` is one that an administrator made for all owners.",
      ),
    status: z
      .enum(['ready', 'stale'])
      .describe('`stale`: the recipe, or the image of a template, has changed since.'),
    bytes: z
      .number()
      .int()
      .meta({
        description:
          'Size in bytes; of a `saved` or `shared` one without what it shares with its image and with older snapshots and images.',
        examples: [1073741824],
      }),
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
          'Of a `saved` or `shared` image: how many computers were made from it, which keep it from being deleted; for others than administrators only their own. Otherwise null.',
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

export const PruneAnswer = z
  .object({
    bytes: z
      .int()
      .nonnegative()
      .meta({ description: 'Bytes of storage that are free now.', examples: [167_772_160] }),
  })
  .meta({ id: 'PruneAnswer', description: 'What the removed steps took.' });

/** Answered as an image of the kind `saved` or `shared`. */
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
    shared: z
      .boolean({ error: 'must be true or false' })
      .optional()
      .describe(
        'Make the image for all owners, in place of the shared one of that name. For administrators.',
      ),
  })
  .meta({ id: 'SaveImage', description: 'An image to save from a computer.' });

const BuildArgument = text(32_768)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*=/, 'must be NAME=VALUE')
  .meta({ description: 'Value of an `ARG`.', examples: ['VERSION=2'] });

export const BuildQuery = z.object({
  dockerfile: text(4096)
    .min(1, 'must not be empty')
    .optional()
    .meta({ description: 'Path in the context. Default: `Dockerfile`.', examples: ['Dockerfile'] }),
  arg: z
    .preprocess(
      (value) => (typeof value === 'string' ? [value] : value),
      z.array(BuildArgument).max(100, 'must be at most 100'),
    )
    .optional()
    .meta({ description: 'Values of `ARG`, each `NAME=VALUE`; repeatable.' }),
  target: text(128)
    .min(1, 'must not be empty')
    .optional()
    .meta({ description: 'Stage to build. Default: the last one.', examples: ['runtime'] }),
  no_cache: queryFlag('0').describe('Carry out every step again.'),
  shared: queryFlag('0').describe('Make the image for all owners. For administrators.'),
  engine: text(64).optional().describe('Engine to build on. Default: the first that can.'),
});

const Step = z
  .number()
  .int()
  .meta({ description: 'Number of the step, from 1 in the order they begin.', examples: [2] });
const Seconds = z.number().meta({ description: 'Seconds since the step began.', examples: [0.4] });
const Line = z
  .number()
  .int()
  .meta({ description: 'Line of the Dockerfile.', examples: [3] });

export const BuildLine = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('step').describe('A step begins.'),
      step: Step,
      stage: z.string().meta({ description: 'Name of its stage.', examples: ['stage-0'] }),
      position: z.number().int().describe('Position in the stage, from 1.'),
      total: z.number().int().describe('Number of steps of the stage.'),
      line: Line,
      text: z.string().meta({ description: 'The instruction.', examples: ['RUN make'] }),
    }),
    z.object({ type: z.literal('cached').describe('It is in the cache.'), step: Step }),
    z.object({
      type: z.literal('output').describe('A line of its output.'),
      step: Step,
      stream: z.enum(['stdout', 'stderr']).describe('Where it was printed.'),
      seconds: Seconds,
      text: z.string().meta({ description: 'The line.', examples: ['hello'] }),
    }),
    z.object({
      type: z.literal('done').describe('It has succeeded.'),
      step: Step,
      seconds: Seconds,
    }),
    z.object({
      type: z.literal('failed').describe('It has failed.'),
      step: Step,
      message: z.string().meta({ description: 'Why.', examples: ['exit code 1'] }),
    }),
    z.object({
      type: z.literal('note').describe('What is ignored.'),
      line: Line,
      message: z.string().meta({ description: 'Why.', examples: ['EXPOSE is ignored'] }),
    }),
    z.object({ type: z.literal('image').describe('The last line: the image.'), image: Image }),
    z.object({
      type: z.literal('error').describe('The last line: the build has failed.'),
      error: z.string().describe('As in answers of errors.'),
      code: z.string().meta({ description: 'As `x-error-code`.', examples: ['invalid_request'] }),
      remedy: z.string().nullable().describe('As `x-error-remedy`; null if there is none.'),
    }),
  ])
  .meta({ id: 'BuildLine', description: 'A line of the progress of a build.' });

export type BuildQuery = z.infer<typeof BuildQuery>;
export type BuildLine = z.infer<typeof BuildLine>;
export type Image = z.infer<typeof Image>;
export type ImageList = z.infer<typeof ImageList>;
export type SaveImage = z.infer<typeof SaveImage>;
