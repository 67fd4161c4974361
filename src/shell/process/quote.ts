import { ApiError } from '../../contract/errors.js';

/**
 * Quotes `text` as one word of a POSIX shell. Throws `invalid_request` for a NUL character, which
 * no argument can contain.
 */
export function quote(text: string): string {
  if (text.includes('\0')) {
    throw new ApiError('invalid_request', 'A command, argument or path contains a NUL character.');
  }
  return `'${text.replaceAll("'", "'\\''")}'`;
}
