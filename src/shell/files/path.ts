import { ApiError } from '../../contract/errors.js';

/**
 * Converts a user's path for SFTP: relative paths and those after `~/` start from the home
 * directory. No shell interprets it. Throws `invalid_request`.
 */
export function guestPath(path: string): string {
  if (path === '') throw new ApiError('invalid_request', 'The path must not be empty.');
  if (path.includes('\0')) {
    throw new ApiError('invalid_request', 'The path must not contain a NUL character.');
  }
  if (path === '~') return '.';
  return path.startsWith('~/') ? `./${path.slice(2)}` : path;
}

/** Directory and base name of an absolute path without a trailing slash. */
export function splitPath(path: string): { directory: string; name: string } {
  const slash = path.lastIndexOf('/');
  return { directory: path.slice(0, slash) || '/', name: path.slice(slash + 1) };
}

/** The path without slashes at its end. Slashes within it are tried once, not from each of them. */
export function withoutSlash(path: string): string {
  return path.replace(/(?<=^\/|[^/])\/+$/, '');
}
