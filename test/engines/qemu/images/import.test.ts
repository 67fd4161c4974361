// @module-tag slow
import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { importDisk } from '../../../../src/engines/qemu/images/import.js';
import { imageKey, readImage } from '../../../../src/engines/qemu/images/installed.js';
import { inTier, thorough } from '../../../support/run/tiers.js';

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

/** A tiny disk with a boot sector's signature and a known text. */
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
  importDisk(stateDirectory, {
    name: 'mine',
    file,
    os: 'linux',
    firmware: 'bios',
    shell: null,
    signal: new AbortController().signal,
    onProgress: () => {},
    ...more,
  });

async function expectNothing(): Promise<void> {
  const left = (await readdir(images()).catch(() => [])).filter((name) => name !== '.lock');
  expect(left).toEqual([]);
}

const formats = ['raw', 'qcow2', 'vmdk', 'vdi', 'vhdx'];
test.each(inTier({ thorough: formats, quick: ['raw', 'qcow2', 'vmdk'] }))(
  'imports %s as qcow2',
  async (format) => {
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
  },
);

thorough('imports a streamOptimized vmdk', async () => {
  await take(await diskAs('vmdk', '-o', 'subformat=streamOptimized'));
});

test('keeps the SSH key outside the record, readable by the service only', async () => {
  const shell = { user: 'admin', privateKey: 'a secret' };
  const image = await take(await diskAs('qcow2'), { shell, os: 'windows', firmware: 'uefi' });
  expect(image.shell).toEqual({ user: 'admin' });
  expect(await imageKey(image)).toBe('a secret');
  expect(await readImage(images(), 'mine')).toEqual(image);
  expect((await stat(join(image.directory, 'key'))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(image.directory, 'image.json'), 'utf8')).not.toContain('secret');
});

test('refuses a name that is taken and keeps its image', async () => {
  const image = await take(await diskAs('qcow2'));
  await expect(take(await diskAs('vdi'))).rejects.toThrow('already');
  expect(await readImage(images(), 'mine')).toEqual(image);
});

test('refuses a disk that would read files of the host', async () => {
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

test('refuses a disk that its owner changes after the checks, to read a file of the host', async () => {
  const file = await diskAs('qcow2');
  const [evil, secret] = [path('evil.qcow2'), path('secret')];
  const options = `data_file=${secret},data_file_raw=on`;
  qemuImg('create', '-q', '-f', 'qcow2', '-o', options, evil, '1M');
  await writeFile(secret, Buffer.alloc(1 << 20, 'a file of the host '));
  const onProgress = () => renameSync(evil, file);
  await expect(take(file, { onProgress })).rejects.toThrow('was changed while it was imported');
  await expectNothing();
});

test('refuses an encrypted disk', async () => {
  const file = path('locked.qcow2');
  qemuImg(
    ...['create', '-q', '-f', 'qcow2', '--object', 'secret,id=s,data=example'],
    ...['-o', 'encrypt.format=aes,encrypt.key-secret=s', file, '1M'],
  );
  await expect(take(file)).rejects.toThrow('encrypted');
  await expectNothing();
});

test('refuses a file that is not a disk and says why', async () => {
  await expect(take(path('missing'))).rejects.toThrow(/missing cannot be read: ENOENT/);
  await mkdir(path('folder'));
  await expect(take(path('folder'))).rejects.toThrow(/cannot be read|is not a file/);
  await writeFile(path('text'), 'no disk at all\n'.repeat(1000));
  await expect(take(path('text'))).rejects.toThrow('not a disk image that can boot');
  await writeFile(path('empty'), '');
  await expect(take(path('empty'))).rejects.toThrow('not a disk image that can boot');
  await expectNothing();
});

test('refuses a damaged disk and leaves nothing behind', async () => {
  const file = await diskAs('qcow2');
  const handle = await open(file, 'r+');
  // Moves the L1 table's offset far outside the file.
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

test('leaves nothing behind when the import is aborted', async () => {
  const file = await diskAs('qcow2');
  await expect(take(file, { signal: AbortSignal.abort(new Error('aborted')) })).rejects.toThrow(
    'aborted',
  );
  await expectNothing();
});

test.each(['../mine', '', 'Mine', 'a,b'])('refuses the name %j', async (name) => {
  await expect(take(await diskAs('qcow2'), { name })).rejects.toThrow("cannot be an image's name");
});
