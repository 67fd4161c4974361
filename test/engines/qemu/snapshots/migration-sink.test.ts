import { once } from 'node:events';
import {
  access,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  compressStream,
  openMigrationSink,
} from '../../../../src/engines/qemu/snapshots/migration-sink.js';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'vc-sink-')));
  path = join(directory, 'state');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const open = (limit = 1_000) =>
  openMigrationSink({ directory, account: { kind: 'own', uid: 0, gid: 0 } }, { path, limit });

async function connected(): Promise<Socket> {
  const socket = connect(join(directory, 'migration.sock')).on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Descriptors of this process on the file. */
async function descriptors(): Promise<number> {
  const links = (await readdir('/proc/self/fd')).map((fd) =>
    readlink(`/proc/self/fd/${fd}`).catch(() => ''),
  );
  return (await Promise.all(links)).filter((target) => target === path).length;
}

it('writes the stream to the file', async () => {
  const sink = await open();
  const socket = await connected();
  socket.end('a stream');
  await sink.received;
  expect(await readFile(path, 'utf8')).toBe('a stream');
  await sink.close();
  expect(await readdir(directory)).toEqual(['state']);
});

it('fails if the stream is larger than the limit', async () => {
  const sink = await open(5);
  const socket = await connected();
  socket.on('error', () => undefined).end('a stream');
  await expect(sink.received).rejects.toThrow('SIGXFSZ');
  expect((await readFile(path)).length).toBeLessThanOrEqual(5);
  await sink.close();
});

const hasZstd = await execa('zstd', ['--version'], { reject: false }).then((r) => !r.failed);
if (!hasZstd) console.warn('zstd is not installed: no stream is compressed');

it.runIf(hasZstd)('compresses a stream that was received, in the place of it', async () => {
  const raw = join(directory, 'raw');
  await writeFile(raw, 'a'.repeat(1_000_000), { mode: 0o600 });
  await compressStream(raw, path, undefined);
  expect(await readdir(directory)).toEqual(['state']);
  const { size, mode } = await stat(path);
  expect({ isSmall: size < 1_000, mode: mode & 0o777 }).toEqual({ isSmall: true, mode: 0o600 });
  const { stdout } = await execa('zstd', ['-dc'], { inputFile: path });
  expect(stdout).toBe('a'.repeat(1_000_000));
});

it('says why a stream cannot be compressed', async () => {
  const failing = compressStream(join(directory, 'nothing'), path, undefined);
  await expect(failing).rejects.toThrow('cannot be saved');
});

it('does not listen if the file cannot be created', async () => {
  await writeFile(path, 'another');
  await expect(open()).rejects.toThrow('EEXIST');
  await expect(access(join(directory, 'migration.sock'))).rejects.toThrow('ENOENT');
  expect(await readFile(path, 'utf8')).toBe('another');
});

it('keeps no descriptor if nothing has connected', async () => {
  const sink = await open();
  await sink.close();
  await expect.poll(descriptors).toBe(0);
  expect(sink.failed.aborted).toBe(true);
});

it('ends a connection when it is closed', async () => {
  const sink = await open(1_000_000);
  const socket = await connected();
  // The kernel resets a connection that is closed with bytes that were not read.
  socket.on('error', () => undefined).resume();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write('a'.repeat(100_000));
  await expect.poll(async () => (await readFile(path)).length).toBeGreaterThan(0);
  await sink.close();
  await closed;
  await expect.poll(descriptors).toBe(0);
});
