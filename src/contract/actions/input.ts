import { z } from 'zod';
import { DEFAULT_SECONDS, SCROLL_DIRECTIONS } from '../constants.js';
import {
  Coordinate,
  flag,
  integer,
  ModifierKeys,
  MouseButton,
  oneOfWords,
  quantity,
  Success,
  text,
} from '../primitives.js';
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

export const Click = z
  .object({
    x: left('Position'),
    y: top('Position'),
    button: MouseButton.default('left'),
    double: flag().default(false).describe('Clicks twice; the same as `clicks: 2`.'),
    clicks: integer(1, 3)
      .optional()
      .describe('How often to click. Without it once, or as `double` says.'),
    keys: ModifierKeys.default([]),
    scale,
    settle,
  })
  .meta({ id: 'Click', description: 'A click with the mouse.' });

export const Move = z
  .object({ x: left('Position'), y: top('Position'), scale, settle })
  .meta({ id: 'Move', description: 'A movement of the mouse pointer.' });

const Point = z.tuple([Coordinate, Coordinate], { error: 'must be [x, y]' });

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
      .optional()
      .meta({
        description:
          'Points to pass between start and end, each `[x, y]`. Without it a straight line.',
        examples: [[[300, 250]]],
      }),
    scale,
    settle,
  })
  .meta({ id: 'Drag', description: 'A movement with a mouse button held down.' });

export const Scroll = z
  .object({
    direction: oneOfWords(SCROLL_DIRECTIONS).describe('Where the content is scrolled to.'),
    amount: integer(1, 100).default(3).describe('Steps of the wheel.'),
    x: left('Position of the pointer, which is otherwise not moved').optional(),
    y: top('Position of the pointer, which is otherwise not moved').optional(),
    scale,
    settle,
  })
  .meta({ id: 'Scroll', description: 'A turn of the mouse wheel.' });

export const Type = z
  .object({
    text: text(100_000).meta({
      description: 'Any Unicode text. A newline is Enter, a tab is Tab.',
      examples: ['hello\n'],
    }),
    delay_ms: integer(0, 1000)
      .optional()
      .describe(
        'Milliseconds between two characters. Without it as fast as the computer takes them.',
      ),
    settle,
  })
  .meta({ id: 'Type', description: 'A text to type.' });

export const Key = z
  .object({
    key: z
      .string({ error: 'must be a key, for example "Enter" or "ctrl+c"' })
      .min(1, 'must be a key, for example "Enter" or "ctrl+c"')
      .max(100, 'must be at most 100 characters')
      .meta({
        description:
          'A key, or several joined by `+`: a character, `Enter`, `Page_Up`, `F5`, `ctrl+shift+t`. Takes X keysym names and common aliases in any case.',
        examples: ['ctrl+c'],
      }),
    hold_ms: integer(0, 10_000)
      .optional()
      .describe('Milliseconds from press to release. Without it a short press.'),
    settle,
  })
  .meta({ id: 'PressKey', description: 'A key or combination of keys to press.' });

const noNul = (value: string) => !value.includes('\0');

export const Clipboard = z
  .object({
    text: z.string().meta({
      description: 'Empty if nothing, or something else than a text, has been copied.',
      examples: ['hello'],
    }),
  })
  .meta({ id: 'Clipboard', description: 'The text of the clipboard.' });

export const SetClipboard = z
  .object({
    text: text(250_000)
      .refine(noNul, 'must have no NUL')
      .meta({ description: 'Any Unicode text without NUL.', examples: ['hello'] }),
  })
  .meta({ id: 'SetClipboard', description: 'A text for the clipboard.' });

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
