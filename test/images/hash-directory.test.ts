import { Hash } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { hashDirectory } from '../../src/images/hash-directory.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-hash-'));
  writeFileSync(join(directory, 'a'), 'one');
  writeFileSync(join(directory, 'b'), 'two');
  vi.restoreAllMocks();
});
afterEach(() => rmSync(directory, { recursive: true }));

const hash = () => hashDirectory(directory, (path) => path !== 'left out');

it('reads the files once if nothing changes', async () => {
  const digest = vi.spyOn(Hash.prototype, 'digest');
  const first = await hash();
  writeFileSync(join(directory, 'left out'), 'x');
  expect(new Set(await Promise.all([hash(), hash(), hash()]))).toEqual(new Set([first]));
  expect(digest).toHaveBeenCalledTimes(1);
});

it('detects changed content of the same size and time, changed modes and new files', async () => {
  const first = await hash();
  writeFileSync(join(directory, 'a'), 'eno');
  utimesSync(join(directory, 'a'), 1, 1);
  const second = await hash();
  expect(second).not.toBe(first);
  writeFileSync(join(directory, 'a'), 'oen');
  utimesSync(join(directory, 'a'), 1, 1);
  const third = await hash();
  expect(third).not.toBe(second);
  chmodSync(join(directory, 'a'), 0o755);
  const fourth = await hash();
  expect(fourth).not.toBe(third);
  rmSync(join(directory, 'b'));
  expect(await hash()).not.toBe(fourth);
});
