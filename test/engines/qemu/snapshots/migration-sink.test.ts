import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  access,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  writeFile,
} from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openMigrationSink } from '../../../../src/engines/qemu/snapshots/migration-sink.js';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'vc-sink-')));
  path = join(directory, 'state');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const open = (limit = 1_000, compress = false) =>
  openMigrationSink(
    { directory, account: { kind: 'own', uid: 0, gid: 0 } },
    { path, limit, compress },
  );

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

it('writes the stream to the file, up to the limit', async () => {
  const sink = await open(5);
  const socket = await connected();
  socket.end('a stream');
  await sink.received;
  expect(await readFile(path, 'utf8')).toBe('a str');
  await sink.close();
  expect(await readdir(directory)).toEqual(['state']);
});

const hasZstd = await execa('zstd', ['--version'], { reject: false }).then((r) => !r.failed);
if (!hasZstd) console.warn('zstd is not installed: no stream is compressed');

it.runIf(hasZstd)('compresses the stream', async () => {
  const sink = await open(100_000, true);
  const socket = await connected();
  socket.end('a'.repeat(1_000_000));
  await sink.received;
  expect((await readFile(path)).length).toBeLessThan(1_000);
  const { stdout } = await execa('zstd', ['-dc'], { inputFile: path });
  expect(stdout).toBe('a'.repeat(1_000_000));
  await sink.close();
});

it.runIf(hasZstd)('fails if the compressed stream is larger than the limit', async () => {
  const sink = await open(10_000, true);
  const socket = await connected();
  socket.end(randomBytes(1_000_000));
  await expect(sink.received).rejects.toThrow('cannot be saved');
  expect((await readFile(path)).length).toBeLessThanOrEqual(10_000);
  await sink.close();
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
