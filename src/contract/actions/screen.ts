import { z } from 'zod';
import { DEFAULT_SECONDS, IMAGE_FORMATS, MAX_MARKS, THUMBNAIL_WIDTH } from '../constants.js';
import {
  atLeastOne,
  integer,
  oneOfWords,
  quantity,
  queryFlag,
  queryNumber,
  Timestamp,
} from '../primitives.js';
import { MetCondition, Until } from './conditions.js';
import { FrameId, MarkedElement } from './elements.js';
import { SettleText } from './settle.js';

/** What a wait needs, as metadata. */
export const WAIT_FOR = atLeastOne('duration', 'seconds', 'until');

export const Wait = z
  .object({
    duration: quantity(0, 60, 'seconds')
      .optional()
      .meta({
        description: 'Seconds to wait; the same as `seconds`.',
        examples: [1.5],
      }),
    seconds: quantity(0, 60, 'seconds')
      .optional()
      .meta({ description: 'Seconds to wait.', examples: [1.5] }),
    until: Until.optional().describe(
      'Waits until the screen is `stable`, until it has a `change`, or until a condition holds.',
    ),
    region: z
      .tuple([integer(0, 10_000), integer(0, 10_000), integer(1, 10_000), integer(1, 10_000)], {
        error: 'must be [x, y, width, height]',
      })
      .optional()
      .meta({
        description:
          'With `stable` or `change`: the part of the screen that counts, as `[x, y, width, height]` in pixels. Without it the whole screen.',
        examples: [[0, 0, 640, 400]],
      }),
    timeout: quantity(0.1, 600, 'seconds')
      .default(DEFAULT_SECONDS.wait)
      .describe('With `until`: seconds to wait at most.'),
  })
  .refine((wait) => (wait.duration ?? wait.seconds ?? wait.until) !== undefined, {
    message: 'must be given, or until: "stable", "change" or a condition',
    path: ['seconds'],
  })
  .refine(
    ({ until, duration, seconds }) => until === undefined || (duration ?? seconds) === undefined,
    {
      message: 'must not be given with a time: timeout limits how long it waits',
      path: ['until'],
    },
  )
  .refine(
    ({ duration, seconds }) =>
      duration === undefined || seconds === undefined || duration === seconds,
    { message: 'must not be given with another duration', path: ['seconds'] },
  )
  .refine(({ until, region }) => typeof until === 'string' || region === undefined, {
    message: 'needs until: "stable" or "change"',
    path: ['region'],
  })
  .meta({
    id: 'Wait',
    ...WAIT_FOR,
    examples: [{ until: 'stable', timeout: 10 }],
    description: 'What to wait for: one of `duration`, `seconds` and `until` is required.',
  });

export const WaitResult = z
  .object({
    success: z.literal(true).describe('Always true; an error has another status.'),
    waited: z.number().meta({ description: 'Seconds.', examples: [1.5] }),
    changed: z
      .boolean()
      .optional()
      .describe('With `until: "change"`: false if the screen did not change within `timeout`.'),
    met: z.array(MetCondition).optional().describe('With a condition: those that held.'),
  })
  .meta({ id: 'WaitResult', description: 'How long the operation waited.' });

export const ImageFormat = oneOfWords(IMAGE_FORMATS).meta({
  id: 'ImageFormat',
  description: 'Format of a picture.',
});

/** What marks are, as the description of the field. */
export const MARKS = `Draws numbered boxes around elements that can be clicked, at most the first ${MAX_MARKS} in the order of reading, and lists them; \`click\` takes the numbers. The answer is JSON.`;

export const ScreenshotQuery = z.object({
  format: ImageFormat.optional().describe(
    'Format of the image. Without it that of the header `Accept`, or else `png`.',
  ),
  quality: queryNumber(integer(1, 100))
    .default(80)
    .describe('Quality of `jpeg` and `webp`; `png` is lossless.'),
  scale: queryNumber(quantity(0.05, 1, 'factor'))
    .default(1)
    .describe('Factor on width and height.'),
  region: z
    .string()
    .regex(/^\d{1,5},\d{1,5},\d{1,5},\d{1,5}$/, 'must be x,y,w,h in pixels')
    .transform((region) => {
      const [x, y, width, height] = region.split(',').map(Number);
      return { x: x ?? 0, y: y ?? 0, width: width ?? 0, height: height ?? 0 };
    })
    .optional()
    .meta({
      description: 'A part of the screen, as `x,y,width,height` in pixels. Without it the whole.',
      examples: ['0,0,640,400'],
    }),
  cursor: queryFlag('0').describe('Draws the mouse pointer.'),
  marks: queryFlag('0').describe(MARKS),
  settle: SettleText.optional(),
});

export const ThumbnailQuery = z.object({
  width: queryNumber(integer(64, 640))
    .default(THUMBNAIL_WIDTH)
    .describe('Pixels; the height follows. A narrower screen keeps its width.'),
  seq: queryNumber(integer(0, Number.MAX_SAFE_INTEGER))
    .optional()
    .describe('Has no effect: it makes the address of a new picture a new one.'),
});

export const Screenshot = z
  .object({
    success: z.literal(true).describe('Always true; an error has another status.'),
    image: z.string().meta({
      description: 'The image file in base64, without the prefix of a data URL.',
      contentEncoding: 'base64',
      examples: ['iVBORw0KGgo='],
    }),
    format: ImageFormat.describe('Format of the image.'),
    control_returned_at: Timestamp.optional().describe(
      'Another has had control since the last picture of this key, until then: the screen may have changed. Also in the header `x-control-returned`.',
    ),
    control_notice: z
      .string()
      .optional()
      .meta({
        description:
          'The same as a sentence for a model: whether a person had control, and until when.',
        examples: [
          'A person had control of this computer until 2026-11-23T12:00:00.000Z and may have changed the screen.',
        ],
      }),
    encoding: z.literal('base64').describe('Encoding of `image`.'),
    width: z
      .number()
      .int()
      .meta({ description: 'Pixels.', examples: [1280] }),
    height: z
      .number()
      .int()
      .meta({ description: 'Pixels.', examples: [800] }),
    frame: FrameId.optional().describe('With `marks`: the id of this picture, for `click`.'),
    marks: z
      .array(MarkedElement)
      .optional()
      .describe('With `marks`: the elements that are marked, with boxes in pixels of the screen.'),
    truncated: z
      .boolean()
      .optional()
      .describe('With `marks`: there are more elements than were marked.'),
  })
  .meta({ id: 'Screenshot', description: 'An image of the screen.' });

export type Wait = z.infer<typeof Wait>;
export type WaitResult = z.infer<typeof WaitResult>;
export type ScreenshotQuery = z.infer<typeof ScreenshotQuery>;
export type Screenshot = z.infer<typeof Screenshot>;
export type ImageFormat = z.infer<typeof ImageFormat>;
