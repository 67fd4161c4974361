import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../lib/package-root.js';

/** A file that the page loads. */
export interface Asset {
  readonly file: string;
  readonly type: string;
  /** Its path contains a version, so it never changes. */
  readonly immutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const require = createRequire(import.meta.url);
/** Pages are not compiled. */
export const PAGES = fileURLToPath(new URL('src/dashboard/view/', packageRoot));

/**
 * Every file of the live view by its path under `assets/`: our own, and noVNC's library from its
 * package. Only these files are ever read, whatever the path.
 */
export function listAssets(): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  add(assets, PAGES, '', false);
  const novnc = dirname(dirname(require.resolve('@novnc/novnc')));
  for (const part of ['core', 'vendor']) {
    add(assets, join(novnc, part), `novnc/${part}/`, true);
  }
  return assets;
}

function add(
  assets: Map<string, Asset>,
  directory: string,
  prefix: string,
  immutable: Asset['immutable'],
): void {
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(join(directory, '/').length).split('\\').join('/');
    assets.set(`${prefix}${path}`, { file, type, immutable });
  }
}

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
