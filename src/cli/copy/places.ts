import { posix } from 'node:path';
import { UsageError } from '../errors.js';

/** One end of a copy: stdin or stdout, a path here, or one in a computer. */
export type Place =
  | { readonly kind: 'pipe' }
  | { readonly kind: 'local'; readonly path: string }
  | { readonly kind: 'remote'; readonly computer: string; readonly path: string };

/**
 * `-` is a pipe. What begins with `/`, `./`, `../` or `~/`, or has no colon, is a path here;
 * anything else is COMPUTER:PATH, split at the first colon.
 */
export function parsePlace(text: string): Place {
  if (text === '-') return { kind: 'pipe' };
  const colon = text.indexOf(':');
  if (colon === -1 || /^(\/|\.\.?(\/|$)|~\/)/.test(text)) return { kind: 'local', path: text };
  const computer = text.slice(0, colon);
  if (computer === '') throw new UsageError(`${text}: the computer is missing before the colon`);
  return { kind: 'remote', computer, path: text.slice(colon + 1) || '.' };
}

/** The name that a copy of `path` gets; undefined where a directory's contents are meant (`dir/.`). */
export function copyName(path: string): string | undefined {
  const name = posix.basename(path);
  return ['', '.', '..', '~', '/'].includes(name) ? undefined : name;
}

/** True where the path says itself that it is a directory. */
export function meansDirectory(path: string): boolean {
  return /(^|\/)\.{0,2}$/.test(path);
}

/** `name` below `directory`, as the guest has paths. */
export function below(directory: string, name: string): string {
  return directory.endsWith('/') ? `${directory}${name}` : `${directory}/${name}`;
}

/**
 * A name that a guest gives is refused where it could lead out of the directory it is in. On
 * Windows a backslash separates, too, and a colon names a drive or a stream of a file.
 */
export function isSafeName(name: string, platform: string = process.platform): boolean {
  const unsafe = platform === 'win32' ? /[/\\:\0]/ : /[/\0]/;
  return name !== '' && name !== '.' && name !== '..' && !unsafe.test(name);
}

/**
 * True for a link that stays in the tree that is copied: relative, its steps up first and at most
 * `depth` of them. Steps up behind a name could lead out by way of another link.
 */
export function isSafeLink(target: string, depth: number): boolean {
  if (target.startsWith('/') || target === '') return false;
  const steps = target.split('/');
  const up = steps.findIndex((step) => step !== '..');
  const leading = up === -1 ? steps.length : up;
  return leading <= depth && !steps.slice(leading).includes('..');
}
