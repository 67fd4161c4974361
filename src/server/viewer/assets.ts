import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../lib/package-root.js';

/** A file that the page loads. */
export interface Asset {
  readonly file: string;
  readonly type: string;
}

const inPackage = (path: string) => fileURLToPath(new URL(path, packageRoot));

/** The page itself. */
export const PAGE = inPackage('src/dashboard/view/index.html');

/** Every file of the live view by its path under `assets/`. Only these files are ever read. */
export const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ['view.js', { file: inPackage('dist/dashboard/view/view.js'), type: 'text/javascript' }],
  ['view.css', { file: inPackage('src/dashboard/view/view.css'), type: 'text/css' }],
  ['icon.svg', { file: inPackage('src/dashboard/view/icon.svg'), type: 'image/svg+xml' }],
]);

/** Keeps files in memory, about 1 MiB: each answer that a client does not read has the same bytes. */
export function readOnce(): (file: string) => Promise<Buffer> {
  const files = new Map<string, Promise<Buffer>>();
  return (file) => {
    const known = files.get(file);
    if (known !== undefined) return known;
    const reading = readFile(file);
    files.set(file, reading);
    reading.catch(() => files.delete(file));
    return reading;
  };
}
