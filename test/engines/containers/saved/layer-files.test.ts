import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { speak } from '../../../../src/engines/containers/dialect.js';
import { copyLayer } from '../../../../src/engines/containers/saved/layer-copy.js';
import {
  copyFiles,
  copyShifted,
  measureFiles,
  unpackFiles,
} from '../../../../src/engines/containers/saved/layer-files.js';
import { dockerDialect } from '../../../../src/engines/docker/client.js';
import { TAR_END, tarEntry } from '../../../../src/engines/tar.js';

const { signal } = new AbortController();
const isRoot = process.getuid?.() === 0;

let directory: string;
let from: string;
let to: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-layer-'));
  [from, to] = [join(directory, 'from'), join(directory, 'to')];
  for (const each of [from, to]) mkdirSync(each);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('measures files with their holes, and a file of two names once', async () => {
  writeFileSync(join(from, 'a'), 'abc');
  linkSync(join(from, 'a'), join(from, 'b'));
  writeFileSync(join(from, 'hole'), '');
  truncateSync(join(from, 'hole'), 1000);
  const { bytes, ids } = await measureFiles(from, signal);
  expect(bytes).toBe(1003);
  expect(ids).toContain(process.getuid?.());
});

it('copies links as links', async () => {
  writeFileSync(join(directory, 'secret'), 'secret');
  symlinkSync(join(directory, 'secret'), join(from, 'link'));
  await copyFiles(from, to, signal);
  expect(lstatSync(join(to, 'link')).isSymbolicLink()).toBe(true);
});

it('ends a copy with the signal', async () => {
  const aborted = AbortSignal.abort(new Error('enough'));
  await expect(copyFiles(from, to, aborted)).rejects.toThrow();
});

it.runIf(isRoot)('shifts owners, and keeps special bits', async () => {
  writeFileSync(join(from, 'program'), 'x');
  chownSync(join(from, 'program'), 1_000_000_033, 1_000_000_008);
  chmodSync(join(from, 'program'), 0o6755);
  writeFileSync(join(from, 'of the host'), 'x');
  const { ids } = await measureFiles(from, signal);
  const shift = { first: 1_000_000_000, count: 65_536, ids, map: join(directory, 'map') };
  await copyShifted(from, to, shift, signal);
  expect(lstatSync(join(to, 'program'))).toMatchObject({ uid: 33, gid: 8, mode: 0o106755 });
  expect(lstatSync(join(to, 'of the host'))).toMatchObject({ uid: 0, gid: 0 });
});

it('pauses nothing for a disk that has no room, holes of files included', async () => {
  const huge = join(from, 'huge');
  writeFileSync(huge, '');
  truncateSync(huge, 8 * 2 ** 40);
  const docker = speak({} as Docker, dockerDialect);
  const machine = { Id: 'm', State: { Running: true, Paused: false } };
  const copying = copyLayer(docker, machine as Docker.ContainerInspectInfo, { from, to }, signal);
  await expect(copying).rejects.toMatchObject({ code: 'conflict', message: /too full/ });
});

it.skipIf(!isRoot)('unpacks an archive with its owners', async () => {
  const archive = [tarEntry('etc/passwd', 0o640, 7, Buffer.from('user')), TAR_END];
  await unpackFiles(archive, to, signal);
  const { mode, uid, gid } = lstatSync(join(to, 'etc/passwd'));
  expect([mode & 0o777, uid, gid]).toEqual([0o640, 7, 7]);
});

it('says why an archive was not unpacked', async () => {
  const archive = Array.from({ length: 64 }, () => Buffer.alloc(65_536, 'x'));
  await expect(unpackFiles(archive, to, signal)).rejects.toThrow(/not look like a tar archive/);
});
