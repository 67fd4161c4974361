import { ApiError } from '../../contract/errors.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { hidePaths } from '../../lib/text/hide-paths.js';
import { excerpt } from '../../lib/text/printable.js';

/** An error's message for clients: one of the host's own names no paths. */
export function publicMessage(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return excerpt(hidePaths(errorMessage(error)), 500);
}
