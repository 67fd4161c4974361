import { z } from 'zod';
import { DEFAULT_SECONDS, IMAGE_FORMATS, SCROLL_DIRECTIONS } from '../constants.js';
import {
  Coordinate,
  flag,
  integer,
  ModifierKeys,
  MouseButton,
  oneOfWords,
  quantity,
  queryFlag,
  text,
} from '../primitives.js';
import { Settle, SettleText } from './settle.js';

export const Success = z.object({ success: z.literal(true) });

/** An action's answer. `settled`, with `settle`: whether the screen became stable in time. */
export const ActionResult = Success.extend({ settled: z.boolean().optional() });

/** Waits for the screen before the answer. */
const settle = Settle.optional();
/** The factor of the screenshot that the coordinates were read from; they are divided by it. */
const scale = quantity(0.05, 1, 'factor').optional();

export const Click = z.object({
  x: Coordinate,
  y: Coordinate,
  button: MouseButton.default('left'),
  double: flag().default(false),
  clicks: integer(1, 3).optional(),
  keys: ModifierKeys.default([]),
  scale,
  settle,
});

export const Move = z.object({ x: Coordinate, y: Coordinate, scale, settle });

const Point = z.tuple([Coordinate, Coordinate], { error: 'must be [x, y]' });

export const Drag = z.object({
  start_x: Coordinate,
  start_y: Coordinate,
  end_x: Coordinate,
  end_y: Coordinate,
  button: MouseButton.default('left'),
  /** Seconds from press to release. */
  duration: quantity(0, 60, 'seconds').default(DEFAULT_SECONDS.drag),
  /** Points to pass between start and end. */
  path: z.array(Point, { error: 'must be a list of [x, y]' }).max(1000).optional(),
  scale,
  settle,
});

export const Scroll = z.object({
  direction: oneOfWords(SCROLL_DIRECTIONS),
  /** Wheel steps. */
  amount: integer(1, 100).default(3),
  x: Coordinate.optional(),
  y: Coordinate.optional(),
  scale,
  settle,
});

export const Type = z.object({
  text: text(100_000),
  /** Pause between two characters, milliseconds. */
  delay_ms: integer(0, 1000).optional(),
  settle,
});

export const Key = z.object({
  key: z
    .string({ error: 'must be a key, for example "Enter" or "ctrl+c"' })
    .min(1, 'must be a key, for example "Enter" or "ctrl+c"')
    .max(100, 'must be at most 100 characters'),
  hold_ms: integer(0, 10_000).optional(),
  settle,
});

const environment = z
  .record(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be a variable name'),
    z
      .string({ error: 'must be a string' })
      .max(32_768)
      .refine((value) => !value.includes('\0'), 'must have no NUL'),
    { error: 'must be an object of strings' },
  )
  .refine((env) => Object.keys(env).length <= 256, 'must have at most 256 variables');

const noNul = (value: string) => !value.includes('\0');

/** Empty if nothing, or something else than a text, has been copied. */
export const Clipboard = z.object({ text: z.string() });

export const SetClipboard = z.object({
  text: text(250_000).refine(noNul, 'must have no NUL'),
});

const Directory = text(4096).min(1, 'must not be empty').refine(noNul, 'must have no NUL');

export const Bash = z.object({
  command: text(1_000_000).min(1, 'must not be empty').refine(noNul, 'must have no NUL'),
  /** Seconds until the command's whole process group is ended. */
  timeout: quantity(0.1, 86_400, 'seconds').default(DEFAULT_SECONDS.bash),
  cwd: Directory.optional(),
  env: environment.optional(),
  background: flag().default(false),
});

export const BashResult = z.object({
  success: z.boolean(),
  /** Standard output, then standard error. */
  output: z.string(),
  stdout: z.string(),
  stderr: z.string(),
  /** Null when the command was ended by a signal, the time-out or runs in the background. */
  exit_code: z.number().int().nullable(),
  timed_out: z.boolean(),
  truncated: z.boolean(),
  /** Process id in the computer of a command started with `background`. */
  pid: z.number().int().optional(),
  /** Its job id: `GET C/jobs/{id}`. */
  job_id: z.string().optional(),
});

export const Exec = z.object({
  code: text(1_000_000).refine(noNul, 'must have no NUL'),
  timeout: quantity(1, 300, 'seconds').default(DEFAULT_SECONDS.exec),
});

export const ExecResult = z.object({
  success: z.boolean(),
  output: z.string(),
  error: z.string().optional(),
  error_type: z.string().optional(),
  timed_out: z.boolean(),
});

export const Wait = z
  .object({
    duration: quantity(0, 60, 'seconds').optional(),
    seconds: quantity(0, 60, 'seconds').optional(),
    until: oneOfWords(['stable', 'change']).optional(),
    region: z
      .tuple([integer(0, 10_000), integer(0, 10_000), integer(1, 10_000), integer(1, 10_000)], {
        error: 'must be [x, y, width, height]',
      })
      .optional(),
    /** Seconds to wait at most for `until`. */
    timeout: quantity(0.1, 60, 'seconds').default(DEFAULT_SECONDS.wait),
  })
  .refine((wait) => (wait.duration ?? wait.seconds ?? wait.until) !== undefined, {
    message: 'must say how long: duration (seconds) or until ("stable", "change")',
    path: ['duration'],
  });

export const WaitResult = z.object({
  success: z.literal(true),
  /** Seconds. */
  waited: z.number(),
  /** With `until: "change"`: whether the screen changed before the time-out. */
  changed: z.boolean().optional(),
});

export const ImageFormat = oneOfWords(IMAGE_FORMATS);

const queryNumber = (schema: z.ZodType<number, number>) =>
  z.preprocess(
    (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
    schema,
  );

export const ScreenshotQuery = z.object({
  format: ImageFormat.optional(),
  /** 1 to 100, for jpeg and webp. */
  quality: queryNumber(integer(1, 100)).default(80),
  /** Factor on width and height. */
  scale: queryNumber(quantity(0.05, 1, 'factor')).default(1),
  /** `x,y,w,h` in pixels. */
  region: z
    .string()
    .regex(/^\d{1,5},\d{1,5},\d{1,5},\d{1,5}$/, 'must be x,y,w,h in pixels')
    .transform((region) => {
      const [x, y, width, height] = region.split(',').map(Number);
      return { x: x ?? 0, y: y ?? 0, width: width ?? 0, height: height ?? 0 };
    })
    .optional(),
  cursor: queryFlag('0'),
  /** `1` or `quiet_ms,max_ms`: wait until the screen is stable first. */
  settle: SettleText.optional(),
});

export const Screenshot = z.object({
  success: z.literal(true),
  /** Bare base64, no data URL. */
  image: z.string(),
  format: ImageFormat,
  encoding: z.literal('base64'),
  width: z.number().int(),
  height: z.number().int(),
});

/** Mouse and keyboard actions by name: each is an operation and a step of a batch. */
export const inputActions = {
  move: Move,
  click: Click,
  drag: Drag,
  scroll: Scroll,
  type: Type,
  key: Key,
};

export type InputActions = {
  [N in keyof typeof inputActions]: z.infer<(typeof inputActions)[N]>;
};
export type InputActionName = keyof InputActions;

export type ActionResult = z.infer<typeof ActionResult>;
export type Click = z.infer<typeof Click>;
export type Move = z.infer<typeof Move>;
export type Drag = z.infer<typeof Drag>;
export type Scroll = z.infer<typeof Scroll>;
export type Type = z.infer<typeof Type>;
export type Key = z.infer<typeof Key>;
export type Bash = z.infer<typeof Bash>;
export type BashResult = z.infer<typeof BashResult>;
export type Exec = z.infer<typeof Exec>;
export type ExecResult = z.infer<typeof ExecResult>;
export type Wait = z.infer<typeof Wait>;
export type WaitResult = z.infer<typeof WaitResult>;
export type ScreenshotQuery = z.infer<typeof ScreenshotQuery>;
export type Screenshot = z.infer<typeof Screenshot>;
export type ImageFormat = z.infer<typeof ImageFormat>;
