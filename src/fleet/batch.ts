import type { Screenshot } from '../contract/actions.js';
import type { BatchAction, BatchFailure, BatchResult } from '../contract/batch.js';
import { ApiError } from '../contract/errors.js';
import { parseCombination } from '../screen/keyboard/combination.js';
import type { Picture } from '../screen/types.js';
import { planTyping } from '../screen/typing/plan.js';
import { scroll } from './gestures.js';

/** Base64 characters of pictures that one batch answers: all of them are in memory at once. */
const MOST_PICTURE_BYTES = 64 * 1024 * 1024;

type Result = BatchResult['results'][number];

/**
 * Runs actions one after the other and gathers what each answers. Ends after the first that fails,
 * whose error is the last result; only what is no ApiError, and an abort, is thrown. Pictures of
 * more than 64 MiB in all are such a failure.
 */
export async function runBatch(
  actions: readonly BatchAction[],
  run: (action: BatchAction) => Promise<Result>,
  signal?: AbortSignal,
): Promise<BatchResult> {
  const results: Result[] = [];
  let pictureBytes = 0;
  for (const action of actions) {
    signal?.throwIfAborted();
    let result = await run(action).catch(failure);
    if ('image' in result) pictureBytes += result.image.length;
    if (pictureBytes > MOST_PICTURE_BYTES) result = failure(tooLarge());
    results.push(result);
    if (!result.success) return { success: false, results };
  }
  return { success: true, results };
}

/**
 * Checks what the schema cannot: that keys exist, that text can be typed. Throws ApiError that
 * names the action's index and field, as the schema's errors do.
 */
export function checkBatch(actions: readonly BatchAction[]): void {
  for (const [index, action] of actions.entries()) {
    if (action.action === 'key') at(`${index}.key`, () => parseCombination(action.key));
    if (action.action === 'type') at(`${index}.text`, () => planTyping(action.text));
    if (action.action === 'scroll') at(`${index}`, () => scroll(action));
    if (action.action !== 'click') continue;
    for (const key of action.keys) at(`${index}.keys`, () => parseCombination(key));
  }
}

function at(where: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(error.code, `actions.${where}: ${error.message}`, { cause: error });
  }
}

function tooLarge(): ApiError {
  return new ApiError(
    'payload_too_large',
    "The batch's pictures are larger than 64 MiB in all; use scale, jpeg or fewer pictures.",
  );
}

function failure(error: unknown): BatchFailure {
  if (!(error instanceof ApiError) || error.code === 'internal') throw error;
  return { success: false, error: error.message, code: error.code };
}

/** A picture as JSON carries it. */
export function pictureAnswer({ data, format, width, height }: Picture): Screenshot {
  const image = data.toString('base64');
  return { success: true, image, format, encoding: 'base64', width, height };
}
