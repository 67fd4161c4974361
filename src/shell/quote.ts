import { ApiError } from '../contract/errors.js';

/**
 * `text` as one word of a POSIX shell: nothing in it is special any more. A NUL has no place in any
 * argument and is refused.
 */
export function quote(text: string): string {
  if (text.includes('\0')) {
    throw new ApiError('invalid_request', 'A command, argument or path has a NUL character in it.');
  }
  return `'${text.replaceAll("'", "'\\''")}'`;
}
