import { z } from 'zod';
import {
  DEFAULT_SECONDS,
  MAX_HOLD_MS,
  MAX_SCROLL_PIXELS,
  SCROLL_DIRECTIONS,
  SCROLL_STEP_PIXELS,
} from '../constants.js';
import {
  atLeastOne,
  Coordinate,
  ElementId,
  exactlyOne,
  flag,
  integer,
  ModifierKeys,
  MouseButton,
  oneOfWords,
  quantity,
  quick,
  Success,
  text,
} from '../primitives.js';
import { AllowedSecrets } from '../resources/secrets.js';
import { FrameId, MarkNumber } from './elements.js';
import { Settle } from './settle.js';

/** An action's answer. `settled`, with `settle`: whether the screen became stable in time. */
export const ActionResult = Success.extend({
  settled: z
    .boolean()
    .optional()
    .describe('With `settle`: false if the screen was still changing after `max_ms`.'),
}).meta({ id: 'ActionResult', description: 'The input has reached the display server.' });

const settle = Settle.optional().describe('Waits after the action until the screen is stable.');
const scale = quantity(0.05, 1, 'factor')
  .optional()
  .meta({
    description:
      'The `scale` of the screenshot that the coordinates were read from; they are divided by it. Without it they are pixels of the screen.',
    examples: [0.5],
  });

const left = (what: string) =>
  Coordinate.meta({
    description: `${what}: pixels from the left edge, 0 to the width less 1; fractions are rounded.`,
    examples: [640],
  });
const top = (what: string) =>
  Coordinate.meta({
    description: `${what}: pixels from the top edge, 0 to the height less 1; fractions are rounded.`,
    examples: [400],
  });

/** Keys that are held during a mouse action. */
const keys = ModifierKeys.optional();

/** What a click needs, as metadata. */
export const CLICK_ON = exactlyOne(['x', 'y'], 'element', 'mark');

export const Click = z
  .object({
    x: left('Position').optional(),
    y: top('Position').optional(),
    element: ElementId.optional().describe(
      'An element of `elements` to click in the middle of, instead of `x` and `y`.',
    ),
    mark: MarkNumber.optional().describe(
      'A mark of a screenshot with `marks`, instead of `x` and `y`: clicks in the middle of its element, if that is still what and where it was; else `stale_frame`.',
    ),
    frame: FrameId.optional().describe(
      'With `mark`: the frame of that screenshot. Without it the last one that was taken with this API key.',
    ),
    button: MouseButton.default('left'),
    double: flag().default(false).describe('Clicks twice; the same as `clicks: 2`.'),
    clicks: integer(1, 3)
      .optional()
      .describe('How often to click. Without it once, or as `double` says.'),
    keys: ModifierKeys.default([]),
    scale,
    settle,
  })
  .meta({
    id: 'Click',
    ...CLICK_ON,
    description: 'A click with the mouse, on a position, an element or a mark.',
    examples: [{ x: 640, y: 400 }],
  });

export const Move = z
  .object({ x: left('Position'), y: top('Position'), keys, scale, settle })
  .meta({ id: 'Move', description: 'A movement of the mouse pointer.' });

/** Recognized without a schema for each number: a batch has up to 100,000 points. */
const Point = quick<[number, number]>(
  (point) => Array.isArray(point) && point.length === 2 && point.every(Number.isFinite),
  z.tuple([Coordinate, Coordinate], { error: 'must be [x, y]' }),
).meta({
  type: 'array',
  prefixItems: [
    { type: 'number', examples: [640] },
    { type: 'number', examples: [640] },
  ],
  items: false,
  minItems: 2,
  maxItems: 2,
});

export const Drag = z
  .object({
    start_x: left('Start'),
    start_y: top('Start'),
    end_x: left('End'),
    end_y: top('End'),
    button: MouseButton.default('left'),
    duration: quantity(0, 60, 'seconds')
      .default(DEFAULT_SECONDS.drag)
      .describe('Seconds from press to release.'),
    path: z
      .array(Point, { error: 'must be a list of [x, y]' })
      .max(1000)
      .transform((points) =>
        points.map(([x, y]): [number, number] => [Math.round(x), Math.round(y)]),
      )
      .optional()
      .meta({
        description:
          'Points to pass between start and end, each `[x, y]`. Without it a straight line.',
        examples: [[[300, 250]]],
      }),
    keys,
    scale,
    settle,
  })
  .meta({ id: 'Drag', description: 'A movement with a mouse button held down.' });

const delta = (direction: string) =>
  quantity(-MAX_SCROLL_PIXELS, MAX_SCROLL_PIXELS, 'pixels').meta({
    description: `Pixels to scroll ${direction}; negative for the opposite direction. ${SCROLL_STEP_PIXELS} are one step of the wheel; rounded, but at least one step.`,
    examples: [SCROLL_STEP_PIXELS],
  });

/** What a scroll needs, as metadata. */
export const SCROLL_BY = atLeastOne('direction', 'delta_x', 'delta_y');

export const Scroll = z
  .object({
    direction: oneOfWords(SCROLL_DIRECTIONS)
      .optional()
      .describe('Where the content is scrolled to. Required without `delta_x` and `delta_y`.'),
    amount: integer(1, 100).default(3).describe('Steps of the wheel, with `direction`.'),
    delta_x: delta('to the right').optional(),
    delta_y: delta('down').optional(),
    x: left('Position of the pointer, which is otherwise not moved').optional(),
    y: top('Position of the pointer, which is otherwise not moved').optional(),
    keys,
    scale,
    settle,
  })
  .meta({
    id: 'Scroll',
    ...SCROLL_BY,
    description: 'A turn of the mouse wheel, by steps in a `direction` or by pixels.',
    examples: [{ direction: 'down', amount: 3 }],
  });

const position = {
  x: left('Position of the pointer, which is otherwise not moved').optional(),
  y: top('Position of the pointer, which is otherwise not moved').optional(),
};

export const MouseDown = z
  .object({ ...position, button: MouseButton.default('left'), keys, scale, settle })
  .meta({ id: 'MouseDown', description: 'A mouse button to press and hold.' });

export const MouseUp = z
  .object({ ...position, button: MouseButton.default('left'), keys, scale, settle })
  .meta({ id: 'MouseUp', description: 'A mouse button to release.' });

export const Type = z
  .object({
    text: text(100_000).meta({
      description:
        'Any Unicode text. A newline is Enter, a tab is Tab. `{{secret:NAME}}` is a secret of the project, which `secrets` has to name.',
      examples: ['hello\n'],
    }),
    delay_ms: integer(0, 1000)
      .optional()
      .describe(
        'Milliseconds between two characters. Without it as fast as the computer takes them.',
      ),
    secrets: AllowedSecrets.optional(),
    settle,
  })
  .meta({ id: 'Type', description: 'A text to type.' });

const combination = z
  .string({ error: 'must be a key, for example "Enter" or "ctrl+c"' })
  .min(1, 'must be a key, for example "Enter" or "ctrl+c"')
  .max(100, 'must be at most 100 characters')
  .meta({
    description:
      'A key, or several joined by `+`: a character, `Enter`, `Page_Up`, `F5`, `ctrl+shift+t`. Takes X keysym names and common aliases in any case.',
    examples: ['ctrl+c'],
  });

export const Key = z
  .object({
    key: combination,
    hold_ms: integer(0, MAX_HOLD_MS)
      .optional()
      .describe('Milliseconds from press to release. Without it a short press.'),
    repeat: integer(1, 100)
      .optional()
      .describe(
        `How often to press; once without it. \`repeat\` times \`hold_ms\` is at most ${MAX_HOLD_MS}.`,
      ),
    settle,
  })
  .meta({ id: 'PressKey', description: 'A key or combination of keys to press.' });

export const KeyDown = z
  .object({ key: combination, settle })
  .meta({ id: 'KeyDown', description: 'A key or combination of keys to press and hold.' });

export const KeyUp = z
  .object({ key: combination, settle })
  .meta({ id: 'KeyUp', description: 'A key or combination of keys to release.' });

export const CursorPosition = z
  .object({
    success: z.literal(true).describe('Always true; an error has another status.'),
    x: z
      .number()
      .int()
      .meta({ description: 'Pixels from the left edge.', examples: [640] }),
    y: z
      .number()
      .int()
      .meta({ description: 'Pixels from the top edge.', examples: [400] }),
  })
  .meta({
    id: 'CursorPosition',
    description: 'Where the pointer was last moved to by a client of the service.',
  });

/** Mouse and keyboard actions by name: each is an operation and a step of a batch. */
export const inputActions = {
  move: Move,
  click: Click,
  drag: Drag,
  scroll: Scroll,
  mouseDown: MouseDown,
  mouseUp: MouseUp,
  type: Type,
  key: Key,
  keyDown: KeyDown,
  keyUp: KeyUp,
};

export type InputActions = {
  [N in keyof typeof inputActions]: z.infer<(typeof inputActions)[N]>;
};
export type InputActionName = keyof InputActions;

export type ActionResult = z.infer<typeof ActionResult>;
export type CursorPosition = z.infer<typeof CursorPosition>;
export type Click = z.infer<typeof Click>;
export type Move = z.infer<typeof Move>;
export type Drag = z.infer<typeof Drag>;
export type Scroll = z.infer<typeof Scroll>;
export type Type = z.infer<typeof Type>;
export type MouseDown = z.infer<typeof MouseDown>;
export type MouseUp = z.infer<typeof MouseUp>;
export type Key = z.infer<typeof Key>;
export type KeyDown = z.infer<typeof KeyDown>;
export type KeyUp = z.infer<typeof KeyUp>;
