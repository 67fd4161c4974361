import { ApiError, type ErrorCode } from '../../contract/errors.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { hidePaths } from '../../lib/text/hide-paths.js';
import { excerpt } from '../../lib/text/printable.js';

/** Errors about the host. Others quote what a client has sent, or paths in a computer. */
const OF_THE_HOST: readonly ErrorCode[] = ['internal', 'engine_unavailable'];

/** An error's message for clients: one about the host names no paths. The log has the full text. */
export function publicMessage(error: unknown): string {
  if (error instanceof ApiError) {
    return OF_THE_HOST.includes(error.code) ? hidePaths(error.message) : error.message;
  }
  return excerpt(hidePaths(errorMessage(error)), 500);
}
