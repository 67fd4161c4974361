import { z } from 'zod';
import { MAX_BATCH } from '../constants.js';
import { flag, integer, quantity } from '../primitives.js';
import * as actions from './actions.js';
import { Settle } from './settle.js';

const pixels = integer(0, 10_000);

/** A screenshot as a step of a batch: JSON values where its query has texts. */
export const BatchScreenshot = z.object({
  action: z.literal('screenshot'),
  format: actions.ImageFormat.default('png'),
  quality: integer(1, 100).default(80),
  scale: quantity(0.05, 1, 'factor').default(1),
  region: z
    .tuple([pixels, pixels, pixels, pixels], { error: 'must be [x, y, width, height]' })
    .transform(([x, y, width, height]) => ({ x, y, width, height }))
    .optional(),
  cursor: flag().default(false),
  settle: Settle.optional(),
});

const names = 'click, move, drag, scroll, type, key, screenshot, wait, bash or exec';

/** One step of a batch: what the operation of that name takes, and `action`. */
export const BatchAction = z.discriminatedUnion(
  'action',
  [
    actions.Click.extend({ action: z.literal('click') }),
    actions.Move.extend({ action: z.literal('move') }),
    actions.Drag.extend({ action: z.literal('drag') }),
    actions.Scroll.extend({ action: z.literal('scroll') }),
    actions.Type.extend({ action: z.literal('type') }),
    actions.Key.extend({ action: z.literal('key') }),
    actions.Bash.extend({ action: z.literal('bash') }),
    actions.Exec.extend({ action: z.literal('exec') }),
    actions.Wait.safeExtend({ action: z.literal('wait') }),
    BatchScreenshot,
  ],
  { error: `must have an "action": ${names}` },
);

export const Batch = z.object({
  actions: z
    .array(BatchAction, { error: 'must be a list of actions' })
    .min(1, 'must have at least one action')
    .max(MAX_BATCH, `must have at most ${MAX_BATCH} actions`),
});

/** The result of a failed step: the error of the single operation. */
export const BatchFailure = z.object({
  success: z.literal(false),
  error: z.string(),
  /** As in the header `x-error-code`. */
  code: z.string(),
  /** As in the header `x-error-remedy`, not encoded. */
  remedy: z.string().optional(),
});

/**
 * `results` has what each operation alone answers, in order, up to the first that failed.
 * `success` says that all of them ran.
 */
export const BatchResult = z.object({
  success: z.boolean(),
  results: z.array(
    z.union([
      actions.Screenshot,
      actions.BashResult,
      actions.ExecResult,
      actions.WaitResult,
      actions.ActionResult,
      BatchFailure,
    ]),
  ),
});

export type BatchAction = z.output<typeof BatchAction>;
export type BatchInput = z.input<typeof BatchAction>;
export type BatchFailure = z.infer<typeof BatchFailure>;
export type BatchResult = z.infer<typeof BatchResult>;
