import { inputActions, type Screenshot } from '../../contract/actions/actions.js';
import {
  type BatchAction,
  type BatchFailure,
  type BatchResult,
  inputOperation,
} from '../../contract/actions/batch.js';
import { MAX_BATCH_TEXT } from '../../contract/constants.js';
import { ApiError } from '../../contract/errors.js';
import { jsonLength } from '../../lib/json/length.js';
import { parseCombination } from '../../screen/input/keyboard/combination.js';
import type { Picture } from '../../screen/types.js';
import { requireTypable } from '../../screen/typing/typing-plan.js';
import type { Marked } from '../elements/marks.js';
import { publicMessage } from '../errors/public-message.js';
import { remedyOf, type Subject } from '../errors/remedies.js';
import type { Fill } from '../secrets/secrets.js';
import { fillText, prepareInput } from './input-actions.js';

/** Limit for the characters of a batch's results as JSON, which are all held in memory. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

/** A mouse or keyboard action of a batch. */
type BatchInputAction = Exclude<
  BatchAction,
  { readonly action: 'screenshot' | 'wait' | 'bash' | 'exec' | 'cursor' }
>;
type TypeAction = Extract<BatchAction, { readonly action: 'type' }>;
type Result = BatchResult['results'][number];

/**
 * Runs actions one after the other and collects their results. Ends after the first failure, whose
 * error is the last result. Throws only on an abort and for errors that are not ApiErrors. Fails if
 * the results exceed 64 MiB in total.
 */
export async function runBatch(
  actions: readonly BatchAction[],
  run: (action: BatchAction, index: number) => Promise<Result>,
  { signal, ...subject }: Subject & { readonly signal?: AbortSignal | undefined } = {},
): Promise<BatchResult> {
  const results: Result[] = [];
  let characters = 0;
  for (const [index, action] of actions.entries()) {
    signal?.throwIfAborted();
    let result = await run(action, index).catch((error: unknown) => {
      signal?.throwIfAborted();
      return failure(error, subject);
    });
    characters += 'image' in result ? result.image.length : jsonLength(result);
    if (characters > MOST_CHARACTERS) result = failure(tooLarge(), subject);
    results.push(result);
    if (!result.success) return { success: false, results };
  }
  return { success: true, results };
}

/**
 * The actions with the secrets in their texts. Throws ApiError that names the action's index and
 * field, also where the texts are too long in all: a short text can name a long secret many times.
 */
export function fillBatch(actions: readonly BatchAction[], fill: Fill): BatchAction[] {
  limitTexts(actions, (action) => action);
  return limitTexts(actions, (action) => fillText(action, fill));
}

/** Changes actions that type; throws at the first text beyond the limit in all. */
function limitTexts(
  actions: readonly BatchAction[],
  change: (action: TypeAction) => TypeAction,
): BatchAction[] {
  let characters = 0;
  return actions.map((action, index) => {
    if (action.action !== 'type') return action;
    return at(`${index}.text`, () => {
      const changed = change(action);
      characters += changed.text.length;
      if (characters > MAX_BATCH_TEXT) throw tooMuchText();
      return changed;
    });
  });
}

/**
 * Checks what the schema cannot: that keys exist, that text can be typed. Throws ApiError that
 * names the action's index and field, as the schema's errors do.
 */
export function checkBatch(actions: readonly BatchAction[]): void {
  for (const [index, action] of actions.entries()) {
    if ('key' in action) at(`${index}.key`, () => parseCombination(action.key));
    if (action.action === 'type') at(`${index}.text`, () => requireTypable(action.text));
    if (isInput(action)) {
      at(`${index}`, () => prepareInput(inputOperation(action.action), action));
    }
    if (!('keys' in action)) continue;
    for (const key of action.keys ?? []) at(`${index}.keys`, () => parseCombination(key));
  }
}

/** True for a mouse or keyboard action. */
export function isInput(action: BatchAction): action is BatchInputAction {
  return inputOperation(action.action as BatchInputAction['action']) in inputActions;
}

function at<T>(where: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message, remedy } = error;
    throw new ApiError(code, `actions.${where}: ${message}`, { remedy, cause: error });
  }
}

function tooMuchText(): ApiError {
  const most = MAX_BATCH_TEXT.toLocaleString('en');
  const message = `The texts to type have more than ${most} characters in all, with their secrets.`;
  return new ApiError('invalid_request', message, {
    remedy: 'Type them in several requests.',
  });
}

function tooLarge(): ApiError {
  const message = "The batch's results are larger than 64 MiB in all.";
  return new ApiError('payload_too_large', message, {
    remedy: 'Use scale, format jpeg, fewer actions, or write the output of commands to files.',
  });
}

function failure(error: unknown, subject: Subject): BatchFailure {
  if (!(error instanceof ApiError) || error.code === 'internal') throw error;
  const remedy = remedyOf(error, subject);
  const failed = { success: false, error: publicMessage(error), code: error.code } as const;
  return remedy === undefined ? failed : { ...failed, remedy };
}

/** Characters of the bytes in base64. */
export function base64Length({ length }: Buffer): number {
  return 4 * Math.ceil(length / 3);
}

/** The screenshot of a step. */
export function pictureAnswer(picture: Picture | (Picture & Marked)): Screenshot {
  return { success: true, image: picture.data.toString('base64'), ...pictureFields(picture) };
}

/** What the answer to a screenshot has besides the image. */
export function pictureFields(picture: Picture | (Picture & Marked)) {
  const { format, width, height } = picture;
  const fields = { format, encoding: 'base64' as const, width, height };
  if (!('frame' in picture)) return fields;
  const { frame, marks, truncated } = picture;
  return { ...fields, frame, marks, truncated };
}
