import {
  chmod,
  chown,
  lchown,
  link,
  mkdir,
  mkdtemp,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeToOthers, foreignAbove, isOwn } from '../../../src/lib/fs/own-files.js';

const NOBODY = 65_534;
const asRoot = test.runIf(process.geteuid?.() === 0);

let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-own-'));
  file = join(directory, 'file');
  await writeFile(file, 'text', { mode: 0o644 });
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test('a regular file with several names is own, another kind of file is not', async () => {
  expect(await isOwn(file, 'file')).toBe(true);
  await link(file, join(directory, 'other'));
  expect(await isOwn(file, 'file')).toBe(true);
  expect(await isOwn(directory, 'directory')).toBe(true);
  expect(await isOwn(directory, 'file')).toBe(false);
  await symlink(file, join(directory, 'link'));
  expect(await isOwn(join(directory, 'link'), 'file')).toBe(false);
  expect(await isOwn(join(directory, 'missing'), 'file')).toBe(false);
});

test.each([0o664, 0o646, 0o666])(
  'a file of mode %o is own once it is closed to others',
  async (mode) => {
    await chmod(file, mode);
    expect(await isOwn(file, 'file')).toBe(false);
    await closeToOthers(file);
    expect(await isOwn(file, 'file')).toBe(true);
  },
);

test('a directory that every user can write is foreign, unless it is sticky', async () => {
  const inner = join(directory, 'inner');
  await mkdir(inner);
  expect(await foreignAbove(join(inner, 'missing'))).toBeUndefined();
  await chmod(directory, 0o777);
  expect(await foreignAbove(inner)).toMatchObject({ path: directory });
  await chmod(directory, 0o1777);
  expect(await foreignAbove(inner)).toBeUndefined();
});

asRoot('files, directories and links of another user are not own', async () => {
  const inner = join(directory, 'inner');
  await mkdir(inner);
  await chown(file, NOBODY, NOBODY);
  expect(await isOwn(file, 'file')).toBe(false);
  await closeToOthers(file);
  const lead = join(directory, 'lead');
  await symlink(inner, lead);
  await lchown(lead, NOBODY, NOBODY);
  expect(await foreignAbove(join(lead, 'x'))).toEqual({ path: lead, uid: NOBODY });
  await chown(directory, NOBODY, NOBODY);
  expect(await foreignAbove(inner)).toEqual({ path: directory, uid: NOBODY });
});
