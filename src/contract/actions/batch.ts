import { z } from 'zod';
import { MAX_BATCH, MAX_BATCH_TEXT } from '../constants.js';
import { flag, integer, quantity } from '../primitives.js';
import * as actions from './actions.js';
import { Settle } from './settle.js';

const pixels = integer(0, 10_000);

function action<const Name extends string>(name: Name) {
  return z.literal(name).describe('Name of the operation.');
}

/** Documentation of a step. */
function step(name: string, operation: string) {
  return {
    id: `${name}Step`,
    description: `The operation \`${operation}\` as an action of a batch.`,
  };
}

/** A screenshot as a step of a batch: JSON values where its query has texts. */
export const BatchScreenshot = z
  .object({
    action: action('screenshot'),
    format: actions.ImageFormat.default('png').describe('Format of the image.'),
    quality: integer(1, 100)
      .default(80)
      .describe('Quality of `jpeg` and `webp`; `png` is lossless.'),
    scale: quantity(0.05, 1, 'factor').default(1).describe('Factor on width and height.'),
    region: z
      .tuple([pixels, pixels, pixels, pixels], { error: 'must be [x, y, width, height]' })
      .transform(([x, y, width, height]) => ({ x, y, width, height }))
      .optional()
      .meta({
        description:
          'A part of the screen, as `[x, y, width, height]` in pixels. Without it the whole.',
        examples: [[0, 0, 640, 400]],
      }),
    cursor: flag().default(false).describe('Draws the mouse pointer.'),
    marks: flag().default(false).describe(actions.MARKS),
    settle: Settle.optional().describe('Waits until the screen is stable first.'),
  })
  .meta(step('Screenshot', 'screenshot'));

const names =
  'click, move, drag, scroll, mouse_down, mouse_up, type, key, key_down, key_up, cursor, screenshot, wait, bash or exec';

/** Actions of a batch whose operation has another name. */
const OPERATIONS = {
  mouse_down: 'mouseDown',
  mouse_up: 'mouseUp',
  key_down: 'keyDown',
  key_up: 'keyUp',
} as const;

type Renamed = keyof typeof OPERATIONS;

/** The operation of a mouse or keyboard action of a batch. */
export function inputOperation<A extends actions.InputActionName | Renamed>(
  action: A,
): A extends Renamed ? (typeof OPERATIONS)[A] : Exclude<A, Renamed>;
export function inputOperation(action: actions.InputActionName | Renamed): string {
  return action in OPERATIONS ? OPERATIONS[action as Renamed] : action;
}

/** The position of the pointer as a step of a batch. */
const BatchCursor = z.object({ action: action('cursor') }).meta(step('Cursor', 'getCursor'));

/** One step of a batch: what the operation of that name takes, and `action`. */
export const BatchAction = z
  .discriminatedUnion(
    'action',
    [
      actions.Click.extend({ action: action('click') }).meta({
        ...step('Click', 'click'),
        ...actions.CLICK_ON,
      }),
      actions.Move.extend({ action: action('move') }).meta(step('Move', 'move')),
      actions.Drag.extend({ action: action('drag') }).meta(step('Drag', 'drag')),
      actions.Scroll.extend({ action: action('scroll') }).meta({
        ...step('Scroll', 'scroll'),
        ...actions.SCROLL_BY,
      }),
      actions.MouseDown.extend({ action: action('mouse_down') }).meta(
        step('MouseDown', 'mouseDown'),
      ),
      actions.MouseUp.extend({ action: action('mouse_up') }).meta(step('MouseUp', 'mouseUp')),
      actions.Type.extend({ action: action('type') }).meta(step('Type', 'type')),
      actions.Key.extend({ action: action('key') }).meta(step('PressKey', 'key')),
      actions.KeyDown.extend({ action: action('key_down') }).meta(step('KeyDown', 'keyDown')),
      actions.KeyUp.extend({ action: action('key_up') }).meta(step('KeyUp', 'keyUp')),
      BatchCursor,
      actions.Bash.extend({ action: action('bash') }).meta(step('Bash', 'bash')),
      actions.Exec.extend({ action: action('exec') }).meta(step('Exec', 'exec')),
      actions.Wait.safeExtend({ action: action('wait') }).meta({
        ...step('Wait', 'wait'),
        ...actions.WAIT_FOR,
      }),
      BatchScreenshot,
    ],
    { error: `must have an "action", one of: ${names}` },
  )
  .meta({
    id: 'BatchAction',
    description: 'The fields of an operation, and its name in `action`.',
  });

export const Batch = z
  .object({
    actions: z
      .array(BatchAction, { error: 'must be a list of actions' })
      .min(1, 'must have at least one action')
      .max(MAX_BATCH, `must have at most ${MAX_BATCH} actions`)
      .meta({
        description: `Run in this order, until the first failure. The texts that they type have at most ${MAX_BATCH_TEXT.toLocaleString('en')} characters in all, with the values of secrets.`,
        examples: [
          [
            { action: 'click', x: 640, y: 400 },
            { action: 'type', text: 'hello', settle: true },
            { action: 'screenshot', scale: 0.5 },
          ],
        ],
      }),
  })
  .meta({ id: 'Batch', description: 'Actions to run.' });

/** The result of a failed step: the error of the single operation. */
export const BatchFailure = z
  .object({
    success: z.literal(false).describe('Always false.'),
    error: z.string().meta({
      description: 'What went wrong, in one line.',
      examples: ['The point 2000, 400 is outside the screen of 1280x800.'],
    }),
    code: z.string().meta({
      description: 'The code of the error, as in the header `x-error-code`.',
      examples: ['off_screen'],
    }),
    remedy: z
      .string()
      .optional()
      .meta({
        description: 'What to do next, as in the header `x-error-remedy`, but not encoded.',
        examples: ['Use x from 0 to 1279.'],
      }),
  })
  .meta({ id: 'BatchFailure', description: 'The error of an action of a batch.' });

/**
 * `results` has what each operation alone answers, in order, up to the first that failed.
 * `success` says that all of them ran.
 */
export const BatchResult = z
  .object({
    success: z.boolean().describe('True if every action succeeded.'),
    results: z
      .array(
        z.union([
          actions.Screenshot,
          actions.BashResult,
          actions.ExecResult,
          actions.WaitResult,
          actions.CursorPosition,
          actions.ActionResult,
          BatchFailure,
        ]),
      )
      .describe(
        'The answer of each action in order. After a failure, the last one is a `BatchFailure`, or the result of Python code that raised an exception.',
      ),
  })
  .meta({ id: 'BatchResult', description: 'What the actions of a batch answered.' });

export type BatchAction = z.output<typeof BatchAction>;
export type BatchInput = z.input<typeof BatchAction>;
export type BatchFailure = z.infer<typeof BatchFailure>;
export type BatchResult = z.infer<typeof BatchResult>;
