import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findImage, importDisk } from '../../../src/images/store/index.js';

let scratch: string;
let stateDirectory: string;

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'vc-import-'));
  stateDirectory = join(scratch, 'state');
});

afterEach(() => rm(scratch, { recursive: true, force: true }));

const path = (name: string) => join(scratch, name);
const qemuImg = (...args: string[]) => execFileSync('qemu-img', args, { encoding: 'utf8' });
const images = () => join(stateDirectory, 'qemu', 'images');

/** A tiny disk: a boot sector's mark, and something to know it by. */
async function rawDisk(): Promise<string> {
  const bytes = Buffer.alloc(1 << 20);
  bytes.writeUInt16LE(0xaa55, 510);
  bytes.write('the disk of the test', 4096);
  await writeFile(path('disk.raw'), bytes);
  return path('disk.raw');
}

async function diskAs(format: string, ...options: string[]): Promise<string> {
  const target = path(`disk.${format}`);
  qemuImg('convert', '-f', 'raw', '-O', format, ...options, await rawDisk(), target);
  return target;
}

const take = (file: string, more: object = {}) =>
  importDisk({
    name: 'mine',
    file,
    os: 'linux',
    firmware: 'bios',
    shell: null,
    stateDirectory,
    ...more,
  });

/** Nothing is left of an import that failed. */
async function expectNothing(): Promise<void> {
  const left = (await readdir(images()).catch(() => [])).filter((name) => name !== '.lock');
  expect(left).toEqual([]);
}

test.each(['raw', 'qcow2', 'vmdk', 'vdi', 'vhdx'])('%s is taken, as qcow2', async (format) => {
  const file = format === 'raw' ? await rawDisk() : await diskAs(format);
  const before = await readFile(file);
  const image = await take(file);
  const disk = join(image.directory, 'disk.qcow2');
  expect(image).toMatchObject({ name: 'mine', kind: 'disk', os: 'linux', firmware: 'bios' });
  expect(image.bytes).toBeGreaterThan(0);
  expect(JSON.parse(qemuImg('info', '-f', 'qcow2', '--output=json', disk))).toMatchObject({
    format: 'qcow2',
    'virtual-size': 1 << 20,
  });
  expect((await stat(disk)).mode & 0o777).toBe(0o444);
  qemuImg('convert', '-f', 'qcow2', '-O', 'raw', disk, path('back.raw'));
  expect((await readFile(path('back.raw'))).equals(await readFile(path('disk.raw')))).toBe(true);
  expect((await readFile(file)).equals(before)).toBe(true);
});

test('a streamOptimized vmdk, as exported by others, is taken', async () => {
  await take(await diskAs('vmdk', '-o', 'subformat=streamOptimized'));
});

test('the SSH key is kept apart from the record, for the service alone', async () => {
  const shell = { user: 'admin', privateKey: 'a secret' };
  const image = await take(await diskAs('qcow2'), { shell, os: 'windows', firmware: 'uefi' });
  expect(image.shell).toEqual(shell);
  expect(await findImage(stateDirectory, 'mine')).toEqual(image);
  expect((await stat(join(image.directory, 'key'))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(image.directory, 'image.json'), 'utf8')).not.toContain('secret');
});

test('a name that is taken keeps its image', async () => {
  const image = await take(await diskAs('qcow2'));
  await expect(take(await diskAs('vdi'))).rejects.toThrow('already');
  expect(await findImage(stateDirectory, 'mine')).toEqual(image);
});

test('a disk that would read files of the host is refused', async () => {
  await writeFile(path('secret'), 'x'.repeat(1 << 20));
  const backed = path('backed.qcow2');
  qemuImg('create', '-q', '-f', 'qcow2', '-b', path('secret'), '-F', 'raw', backed);
  await expect(take(backed)).rejects.toThrow('needs other files');

  const outside = path('outside.qcow2');
  qemuImg(
    ...['create', '-q', '-f', 'qcow2', '-o'],
    `data_file=${path('data')},data_file_raw=on`,
    outside,
    '1M',
  );
  await expect(take(outside)).rejects.toThrow('needs other files');

  await diskAs('vmdk', '-o', 'subformat=monolithicFlat');
  await expect(take(path('disk.vmdk'))).rejects.toThrow('needs other files');

  const parent = await diskAs('vmdk');
  const child = path('child.vmdk');
  qemuImg('create', '-q', '-f', 'vmdk', '-b', parent, '-F', 'vmdk', child);
  await expect(take(child)).rejects.toThrow('make one whole image');
  await expectNothing();
});

test('an encrypted disk is refused', async () => {
  const file = path('locked.qcow2');
  qemuImg(
    ...['create', '-q', '-f', 'qcow2', '--object', 'secret,id=s,data=example'],
    ...['-o', 'encrypt.format=aes,encrypt.key-secret=s', file, '1M'],
  );
  await expect(take(file)).rejects.toThrow('encrypted');
  await expectNothing();
});

test('what is no disk is refused with what is wrong with it', async () => {
  await expect(take(path('missing'))).rejects.toThrow(/missing cannot be read: ENOENT/);
  await mkdir(path('folder'));
  await expect(take(path('folder'))).rejects.toThrow(/cannot be read|is not a file/);
  await writeFile(path('text'), 'no disk at all\n'.repeat(1000));
  await expect(take(path('text'))).rejects.toThrow('not a disk image that can boot');
  await writeFile(path('empty'), '');
  await expect(take(path('empty'))).rejects.toThrow('not a disk image that can boot');
  await expectNothing();
});

test('a damaged disk is refused, and leaves nothing', async () => {
  const file = await diskAs('qcow2');
  const handle = await open(file, 'r+');
  // The table that says where everything is, far outside of the file.
  await handle.write(Buffer.from('00ffffffffff0000', 'hex'), 0, 8, 40);
  await handle.close();
  await expect(take(file)).rejects.toThrow('could not be read');
  const whole = await diskAs('vhdx');
  const cut = await open(whole, 'r+');
  await cut.truncate(70_000);
  await cut.close();
  await expect(take(whole)).rejects.toThrow('could not be read');
  await expectNothing();
});

test('an import that is given up leaves nothing', async () => {
  const file = await diskAs('qcow2');
  await expect(take(file, { signal: AbortSignal.abort(new Error('given up')) })).rejects.toThrow(
    'given up',
  );
  await expectNothing();
});

test.each(['../mine', '', 'Mine', 'a,b'])('the name %j is refused', async (name) => {
  await expect(take(await diskAs('qcow2'), { name })).rejects.toThrow("cannot be an image's name");
});
