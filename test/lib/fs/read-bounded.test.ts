import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FileTooLargeError, readBounded } from '../../../src/lib/fs/read-bounded.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-bounded-'));
});
afterEach(() => rm(directory, { recursive: true }));

it('reads a file up to its limit', async () => {
  const path = join(directory, 'file');
  for (const length of [0, 1, 200_000]) {
    await writeFile(path, 'x'.repeat(length));
    expect((await readBounded(path, 200_000)).length).toBe(length);
  }
  await writeFile(path, 'x'.repeat(200_001));
  await expect(readBounded(path, 200_000)).rejects.toThrow(FileTooLargeError);
});

it('names its limit', async () => {
  const path = join(directory, 'file');
  await writeFile(path, '');
  await truncate(path, 3 << 20);
  await expect(readBounded(path, 2 << 20)).rejects.toThrow('it is larger than 2 MiB');
  await expect(readBounded(path, 64 * 1024)).rejects.toThrow('it is larger than 64 KiB');
});

it('stops reading a file without end', async () => {
  await expect(readBounded('/dev/zero', 1 << 20)).rejects.toThrow('it is larger than 1 MiB');
});

it.runIf(process.platform === 'linux')('reads a file whose size is reported as 0', async () => {
  expect((await readBounded('/proc/self/status', 1 << 20)).toString()).toMatch(/^Name:/);
});
