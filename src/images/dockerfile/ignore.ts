import { posix } from 'node:path';
import { Glob, isPattern } from './glob.js';

interface Rule {
  readonly isException: boolean;
  readonly glob: Glob;
  /** What a matching path begins with: the pattern up to its first wildcard. */
  readonly beginning: string;
}

/** The rules of a `.dockerignore`, as Docker reads them: the last one that matches counts. */
export class IgnoreRules {
  readonly #rules: readonly Rule[];

  constructor(text: string) {
    this.#rules = text
      .replace(/^\ufeff/, '')
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .map((line) => line.trim())
      .filter((line) => line !== '' && line !== '!')
      .map(readRule);
  }

  /** True for a path in the context that is left out: it or a directory above matches. */
  ignores(path: string): boolean {
    const parts = path.split('/');
    const above = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    let isIgnored = false;
    for (const { isException, glob } of this.#rules) {
      if (isIgnored === isException && above.some((each) => glob.matches(each))) {
        isIgnored = !isException;
      }
    }
    return isIgnored;
  }

  /** True if something in an ignored directory may be taken in by an exception. */
  mayTakeFrom(directory: string): boolean {
    const inside = `${directory}/`;
    return this.#rules.some(
      ({ isException, beginning }) =>
        isException && (beginning.startsWith(inside) || inside.startsWith(beginning)),
    );
  }
}

/** Files that may have the rules for a Dockerfile; the first one that exists counts. */
export function ignoreFiles(dockerfile: string): readonly string[] {
  return [`${dockerfile}.dockerignore`, '.dockerignore'];
}

function readRule(line: string): Rule {
  const isException = line.startsWith('!');
  const text = isException ? line.slice(1).trim() : line;
  const pattern = posix.normalize(text).replace(/^\/+|\/+$/g, '');
  const parts = pattern.split('/');
  const wild = parts.findIndex(isPattern);
  // The directory of the first wildcard, or all of it.
  const beginning =
    wild < 0
      ? pattern
      : parts
          .slice(0, wild)
          .map((part) => `${part}/`)
          .join('');
  return { isException, glob: new Glob(pattern), beginning };
}
