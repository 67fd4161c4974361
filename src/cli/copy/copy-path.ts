import { posix } from 'node:path';
import { UsageError } from '../errors/cli-error.js';

/** A source or the target of a copy: stdin or stdout, a local path, or a path in a computer. */
export type CopyPath =
  | { readonly kind: 'pipe' }
  | { readonly kind: 'local'; readonly path: string }
  | { readonly kind: 'remote'; readonly computer: string; readonly path: string };

/**
 * `-` is a pipe. Text without a colon, or that starts with `/`, `./`, `../` or `~/`, is a local path.
 * Anything else is COMPUTER:PATH, split at the first colon. `:PATH` is the target in each of several computers.
 */
export function parseCopyPath(text: string): CopyPath {
  if (text === '') throw new UsageError('a path is empty', 'name a file or directory, or .');
  if (text === '-') return { kind: 'pipe' };
  const colon = text.indexOf(':');
  if (colon === -1 || /^(\/|\.\.?(\/|$)|~\/)/.test(text)) return { kind: 'local', path: text };
  const computer = text.slice(0, colon);
  return { kind: 'remote', computer, path: text.slice(colon + 1) || '.' };
}

/** The name of the copy of `path`; undefined for the content of a directory (`dir/.`). */
export function copyName(path: string): string | undefined {
  const name = posix.basename(withSlashes(path));
  return ['', '.', '..', '~', '/'].includes(name) ? undefined : name;
}

/** True if the form of the path denotes a directory. */
export function meansDirectory(path: string): boolean {
  return /(^|\/)\.{0,2}$/.test(withSlashes(path));
}

/** `C:\dir\file` of a computer with Windows, as `/dir/file`. */
function withSlashes(path: string): string {
  return /^[A-Za-z]:\\/.test(path) ? path.slice(2).replaceAll('\\', '/') : path;
}

/** Joins a path of the guest. */
export function below(directory: string, name: string): string {
  return directory.endsWith('/') ? `${directory}${name}` : `${directory}/${name}`;
}

/**
 * False for a name from a guest that could leave its directory. On Windows a backslash separates as
 * well, and a colon denotes a drive or a stream of a file.
 */
export function isSafeName(name: string, platform: string = process.platform): boolean {
  const unsafe = platform === 'win32' ? /[/\\:\0]/ : /[/\0]/;
  return name !== '' && name !== '.' && name !== '..' && !unsafe.test(name);
}

/**
 * True for a link that stays in the copied tree: relative, with at most `depth` leading `..`. A `..`
 * after a name could leave the tree through another link. On Windows a backslash separates as well, and
 * a colon denotes a drive.
 */
export function isSafeLink(
  target: string,
  depth: number,
  platform: string = process.platform,
): boolean {
  if (target.startsWith('/') || target === '') return false;
  if (platform === 'win32' && /[\\:]/.test(target)) return false;
  const steps = target.split('/');
  const up = steps.findIndex((step) => step !== '..');
  const leading = up === -1 ? steps.length : up;
  return leading <= depth && !steps.slice(leading).includes('..');
}
