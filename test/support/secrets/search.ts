import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Looks for texts, byte by byte, in files and in the arguments and environments of all processes, but
 * not in files of a path that matches `except`.
 */
export function openSearch(texts: readonly string[], except: RegExp) {
  const needles = [...new Set(texts)];
  const bytes = needles.map((text) => Buffer.from(text));

  /** The paths of what has one: files of the directories, and of processes `cmdline` and `environ`. */
  function places(directories: readonly string[]): string[] {
    const found: string[] = [];
    const search = (path: string, content: Buffer) => {
      if (bytes.some((needle) => content.includes(needle))) found.push(path);
    };
    for (const directory of directories) {
      for (const name of readdirSync(directory, { recursive: true })) {
        const path = join(directory, String(name));
        // Temporary files come and go.
        if (except.test(path) || !lstatSync(path, { throwIfNoEntry: false })?.isFile()) continue;
        const content = contentOf(path);
        if (content !== undefined) search(path, content);
      }
    }
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      for (const what of ['cmdline', 'environ']) {
        const path = `/proc/${pid}/${what}`;
        try {
          search(path, readFileSync(path));
        } catch {
          // The process has ended.
        }
      }
    }
    return found;
  }
  return { needles, places };
}

/** Undefined if the file is gone. */
function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
