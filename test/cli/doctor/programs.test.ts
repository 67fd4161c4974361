import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { freeSubordinateIds } from '../../../src/cli/doctor/programs.js';

const directory = mkdtempSync(join(tmpdir(), 'vc-subids-'));
afterAll(() => rmSync(directory, { recursive: true }));

it.each([
  ['no file', undefined, undefined, '100000-165535'],
  ['no line', '', '', '100000-165535'],
  ['one user', 'ada:100000:65536\n', 'ada:100000:65536\n', '165536-231071'],
  ['one file', 'ada:100000:65536\n', '', '165536-231071'],
  ['another order', 'bob:165536:65536\nada:100000:65536\n', '', '231072-296607'],
  ['a gap that is too small', 'ada:100000:10\nbob:110000:65536\n', '', '175536-241071'],
  ['a gap that is large enough', 'ada:100000:65536\nbob:231072:65536\n', '', '165536-231071'],
  ['ranges below and damaged lines', 'ada:1000:10\nx\nbob:a:b\n', '', '100000-165535'],
])('ids that nobody has are given to a user: %s', async (_, subuid, subgid, expected) => {
  const paths = [subuid, subgid].map((text, index) => {
    const path = join(directory, `file-${index}`);
    rmSync(path, { force: true });
    if (text !== undefined) writeFileSync(path, text);
    return path;
  });
  expect(await freeSubordinateIds(paths)).toBe(expected);
});
