import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { buildDashboard } from '../../scripts/dashboard.js';

/** Bytes of everything that the first page loads, compressed with gzip. */
const BUDGET = 40 * 1024;
const BUILT = new URL('../../dist/dashboard/', import.meta.url);

const read = (path: string) => readFileSync(new URL(path, BUILT));
const size = (path: string) => gzipSync(read(path), { level: 9 }).length;

/** A document and what it loads at once: its links, its script, and what that imports statically. */
function firstLoad(document: string): string[] {
  const html = read(document).toString();
  const linked = [...html.matchAll(/(?:href|src)="\/(assets\/[^"]+)"/g)].map(
    ([, path = '']) => path,
  );
  return [document, ...withImports(linked)];
}

/** Scripts and what they import statically. */
function withImports(paths: readonly string[]): string[] {
  const found = new Set(paths);
  for (const path of found) {
    if (!path.endsWith('.js')) continue;
    for (const [, name] of read(path)
      .toString()
      .matchAll(/(?:from|import)\s?"\.\/([^"]+)"/g)) {
      found.add(`assets/${name}`);
    }
  }
  return [...found];
}

it('the first load is at most 40 KB', async () => {
  if (!existsSync(BUILT)) await buildDashboard();
  const files = firstLoad('index.html');
  const overview = readdirSync(new URL('assets/', BUILT)).filter((name) =>
    /^overview-.*\.js$/.test(name),
  );
  expect(overview).toHaveLength(1);
  const all = new Set([...files, ...withImports(overview.map((name) => `assets/${name}`))]);
  const total = [...all].reduce((sum, path) => sum + size(path), 0);
  console.log(`first load: ${total} bytes in ${all.size} files`);
  expect(files.length).toBeGreaterThanOrEqual(4);
  expect(total).toBeLessThanOrEqual(BUDGET);
  // All are requested as soon as the document has come.
  const html = read('index.html').toString();
  expect(files.slice(1).filter((path) => !html.includes(path))).toEqual([]);
});
