import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../src/lib/package-root.js';

const directory = new URL('man/', packageRoot).pathname;
/** Columns of text in a terminal of 80, which man indents by 7. */
const COLUMNS = 73;

/** Lines that man does not fill, without those of examples. */
function keptLines(page: string): string[] {
  const [, ...blocks] = page.replaceAll(/\.RS 4\n[\s\S]*?\.RE\n/g, '').split(/^\.nf$/m);
  return blocks.flatMap((block) => block.split(/^\.fi$/m)[0]?.split('\n') ?? []);
}

test('text of the manual fits into 80 columns', () => {
  const pages = readdirSync(directory).filter((name) => name.endsWith('.1'));
  expect(pages.length).toBeGreaterThan(100);
  const long = pages.flatMap((name) =>
    keptLines(readFileSync(join(directory, name), 'utf8'))
      .map((line) => line.replaceAll('\\(dq', '"').replaceAll(/\\(.)/g, '$1'))
      .filter((line) => line.length > COLUMNS)
      .map((line) => `${name}: ${line}`),
  );
  expect(long).toEqual([]);
});

test('pages of the manual are ASCII, which every troff reads', () => {
  const pages = readdirSync(directory).filter((name) => name.endsWith('.1'));
  const others = pages.filter((name) =>
    /[^\n -~]/.test(readFileSync(join(directory, name), 'utf8')),
  );
  expect(others).toEqual([]);
});
