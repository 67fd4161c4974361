import { ApiError } from '../contract/errors.js';

/** The error for an action on a stopped machine. */
export function notRunning(cause?: unknown): ApiError {
  return new ApiError('not_running', 'The computer is not running.', { cause });
}
