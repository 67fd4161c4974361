import { ApiError } from '../../contract/errors.js';

/**
 * A user's path as SFTP takes it: relative ones start from the home directory, and so does what
 * comes after `~/`. Nothing else is special; no shell sees it. Throws `invalid_request`.
 */
export function guestPath(path: string): string {
  if (path === '') throw new ApiError('invalid_request', 'path must not be empty.');
  if (path.includes('\0')) {
    throw new ApiError('invalid_request', 'path must have no NUL character in it.');
  }
  if (path === '~') return '.';
  return path.startsWith('~/') ? `./${path.slice(2)}` : path;
}

/** Directory and last name of an absolute path without a slash at its end. */
export function splitPath(path: string): { directory: string; name: string } {
  const slash = path.lastIndexOf('/');
  return { directory: path.slice(0, slash) || '/', name: path.slice(slash + 1) };
}
