import { execFileSync } from 'node:child_process';
import { constants, createReadStream, lstatSync } from 'node:fs';
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openOutputFile, writeOutputFile } from '../../../src/lib/fs/output-file.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-output-file-'));
});
afterEach(() => rm(directory, { recursive: true }));

const bytes = Buffer.from('some bytes');
const at = (name: string) => join(directory, name);

test('a new file appears when it is complete', async () => {
  const file = await openOutputFile(at('new'), { mode: 0o640 });
  await file.write(bytes);
  expect(await readdir(directory)).toEqual([expect.stringMatching(/^\.vc-.*\.tmp$/)]);
  await file.commit();
  await file.discard();
  expect(await readdir(directory)).toEqual(['new']);
  expect(await readFile(at('new'))).toEqual(bytes);
  expect((await stat(at('new'))).mode & 0o777).toBe(0o640 & ~process.umask());
});

test('a failure leaves the file of before, and nothing else', async () => {
  await writeFile(at('file'), 'before');
  const failing = async function* () {
    yield bytes;
    throw new Error('lost');
  };
  await expect(writeOutputFile(at('file'), failing())).rejects.toThrow('lost');
  expect(await readdir(directory)).toEqual(['file']);
  expect(await readFile(at('file'), 'utf8')).toBe('before');
});

test('a file is replaced, not written into, and keeps its permissions', async () => {
  await writeFile(at('file'), 'before');
  await chmod(at('file'), 0o600);
  await link(at('file'), at('other name'));
  await writeOutputFile(at('file'), bytes);
  expect(await readFile(at('file'))).toEqual(bytes);
  expect(await readFile(at('other name'), 'utf8')).toBe('before');
  expect((await stat(at('file'))).mode & 0o777).toBe(0o600);
});

test.each([
  ['to a file', 'file'],
  ['without a target', 'none'],
])('a link %s stays, and leads to the written file', async (_, target) => {
  await mkdir(at('there'));
  await writeFile(at('there/file'), 'before');
  await symlink(`there/${target}`, at('second'));
  await symlink('second', at('first'));
  await writeOutputFile(at('first'), bytes);
  expect(lstatSync(at('first')).isSymbolicLink()).toBe(true);
  expect(lstatSync(at('second')).isSymbolicLink()).toBe(true);
  expect(await readFile(at(`there/${target}`))).toEqual(bytes);
});

test('a pipe is written into, when it has a reader', async () => {
  execFileSync('mkfifo', [at('pipe')]);
  const large = Buffer.alloc(200_000, 7);
  const writing = writeOutputFile(at('pipe'), [large]);
  const read = await buffer(createReadStream(at('pipe')));
  await writing;
  expect(read.equals(large)).toBe(true);
  expect(await readdir(directory)).toEqual(['pipe']);
  expect(lstatSync(at('pipe')).isFIFO()).toBe(true);
});

test('waiting for the reader of a pipe can be ended', async () => {
  execFileSync('mkfifo', [at('pipe')]);
  const controller = new AbortController();
  const writing = writeOutputFile(at('pipe'), bytes, { signal: controller.signal });
  controller.abort(new Error('interrupted'));
  await expect(writing).rejects.toThrow('interrupted');
});

test('a pipe whose reader leaves is an error', async () => {
  execFileSync('mkfifo', [at('pipe')]);
  const reader = await open(at('pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
  const file = await openOutputFile(at('pipe'));
  await reader.close();
  await expect(file.write(bytes)).rejects.toThrow('EPIPE');
  await file.discard();
  expect(lstatSync(at('pipe')).isFIFO()).toBe(true);
});

test('a directory is refused', async () => {
  await expect(writeOutputFile(directory, bytes)).rejects.toMatchObject({ code: 'EISDIR' });
});

test('a device is written into', async (context) => {
  const node = await deviceNode();
  if (node === undefined) {
    const reason =
      'no device nodes can be made here: it needs root, and a file system with devices';
    console.warn(reason);
    return context.skip(reason);
  }
  try {
    await writeOutputFile(node.null, bytes);
    await expect(writeOutputFile(node.full, bytes)).rejects.toMatchObject({ code: 'ENOSPC' });
    for (const path of [node.null, node.full]) {
      expect(lstatSync(path).isCharacterDevice()).toBe(true);
    }
    expect((await readdir(node.directory)).sort()).toEqual(['full', 'null']);
  } finally {
    await rm(node.directory, { recursive: true });
  }
});

/** Devices like /dev/null and /dev/full in a directory of their own; undefined without the right. */
async function deviceNode() {
  for (const parent of [tmpdir(), '/tmp', '/var/tmp']) {
    const directory = await mkdtemp(join(parent, 'vc-devices-'));
    const found = { directory, null: join(directory, 'null'), full: join(directory, 'full') };
    try {
      execFileSync('mknod', [found.null, 'c', '1', '3'], { stdio: 'ignore' });
      execFileSync('mknod', [found.full, 'c', '1', '7'], { stdio: 'ignore' });
      await (await open(found.null, 'r+')).close();
      return found;
    } catch {
      await rm(directory, { recursive: true });
    }
  }
  return undefined;
}
