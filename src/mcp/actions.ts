import { z } from 'zod';
import { runsCommand } from '../contract/actions/conditions.js';
import { MAX_BATCH } from '../contract/constants.js';
import { jsonOr } from './tool.js';

const pixel = z.number().describe('Pixels of the last picture.');

/** A condition of `wait`, which runs no command: that is left to the toolset of commands. */
const Until = z
  .union([z.string(), z.record(z.string(), z.unknown())])
  .refine(
    (until) => !runsCommand(until),
    'cannot wait for a command here: run it with the tool run_command',
  );

/**
 * An action as models see it: one flat object, which costs them a tenth of the tokens of a schema for
 * each action. The service checks each action exactly before the first is carried out.
 */
export const Action = z.object({
  action: z
    .enum([
      'click',
      'move',
      'drag',
      'scroll',
      'type',
      'key',
      'wait',
      'mouse_down',
      'mouse_up',
      'key_down',
      'key_up',
    ])
    .describe('What to do.'),
  x: pixel.optional(),
  y: pixel.optional(),
  element: z.string().optional().describe('click: id of an element, in place of x and y.'),
  mark: z.int().optional().describe('click: number in a picture with marks, in place of x and y.'),
  frame: z.string().optional().describe('click: with mark, the frame of that picture.'),
  button: z.enum(['left', 'right', 'middle']).optional(),
  clicks: z.int().min(1).max(3).optional().describe('click: 2 for a double click.'),
  keys: jsonOr(z.array(z.string()).max(4))
    .optional()
    .describe('Keys held during a mouse action: ["ctrl"].'),
  start_x: pixel.optional().describe('drag.'),
  start_y: pixel.optional().describe('drag.'),
  end_x: pixel.optional().describe('drag.'),
  end_y: pixel.optional().describe('drag.'),
  direction: z.enum(['up', 'down', 'left', 'right']).optional().describe('scroll.'),
  amount: z.int().optional().describe('scroll: steps of the wheel.'),
  text: z.string().optional().describe('type: any text; a newline is Enter.'),
  key: z.string().optional().describe('key: Enter, ctrl+c, Page_Up, F5.'),
  seconds: z.number().optional().describe('wait: 0 to 60.'),
  until: jsonOr(Until)
    .optional()
    .describe(
      'wait, in place of seconds: "stable" or a condition, such as {"text": "Saved"} read on the screen, {"window": "Notes"}, {"element": {"role": "button", "name": "OK"}}, {"port": 8000}, {"file": "a.pdf"}; "gone": true in it waits for its end.',
    ),
  timeout: z.number().optional().describe('wait with until: seconds at most, 10 if left out.'),
});
export type Action = z.infer<typeof Action>;

export const Actions = jsonOr(
  z
    .array(jsonOr(Action))
    .min(1)
    .max(MAX_BATCH - 1),
).describe('Carried out in order, until the first failure.');

const POSITIONED: readonly Action['action'][] = [
  'click',
  'move',
  'drag',
  'scroll',
  'mouse_down',
  'mouse_up',
];

/** The action of a batch: with the factor of the picture that its coordinates are from. */
export function scaled(action: Action, scale: number): Readonly<Record<string, unknown>> {
  if (action.element !== undefined || action.mark !== undefined) return action;
  return scale < 1 && POSITIONED.includes(action.action) ? { ...action, scale } : action;
}

/** A typing action with the names of the secrets that it may contain, which no model chooses. */
export function withSecrets(
  action: Readonly<Record<string, unknown>>,
  secrets: readonly string[],
): Readonly<Record<string, unknown>> {
  return action.action === 'type' && secrets.length > 0 ? { ...action, secrets } : action;
}
