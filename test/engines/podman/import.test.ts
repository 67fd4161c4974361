import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { importRootfs } from '../../../src/engines/podman/import.js';

const config = { Labels: { a: 'b' }, Env: [], User: '1', WorkingDir: '/', Cmd: ['/init'] };
let directory: string;
let tarball: string;

/** Puts a program named podman before the others. */
async function podman(script: string): Promise<void> {
  const program = join(directory, 'bin', 'podman');
  await writeFile(program, `#!/bin/sh\nfor last; do :; done\n${script}\n`);
  await chmod(program, 0o755);
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-import-'));
  tarball = join(directory, 'cache', 'rootfs.tar');
  await mkdir(join(directory, 'bin'));
  await mkdir(join(directory, 'cache'));
  await writeFile(tarball, 'files');
  vi.stubEnv('PATH', `${join(directory, 'bin')}:${process.env.PATH}`);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true, force: true });
});

test('podman pulls a directory with the tarball and the configuration', async () => {
  await podman(`cp -r "\${last#dir:}" ${join(directory, 'seen')}; echo abc`);
  expect(await importRootfs({ tarball, config }, undefined)).toBe('sha256:abc');
  const seen = (name: string) => readFile(join(directory, 'seen', name));
  const manifest = JSON.parse(`${await seen('manifest.json')}`);
  const [layer] = manifest.layers;
  for (const { digest, size } of [manifest.config, layer]) {
    const blob = await seen(digest.replace('sha256:', ''));
    expect(`sha256:${createHash('sha256').update(blob).digest('hex')}`).toBe(digest);
    expect(blob.length).toBe(size);
  }
  const image = JSON.parse(`${await seen(manifest.config.digest.replace('sha256:', ''))}`);
  expect(image).toMatchObject({ config, rootfs: { diff_ids: [layer.digest] } });
  expect(await readdir(join(directory, 'cache'))).toEqual(['rootfs.tar']);
});

test('a failure has what podman says, and leaves nothing', async () => {
  await podman('echo first >&2; echo no space left >&2; exit 125');
  await expect(importRootfs({ tarball, config }, undefined)).rejects.toThrow(
    'Podman could not import the image: no space left',
  );
  expect(await readdir(join(directory, 'cache'))).toEqual(['rootfs.tar']);
});

test('it can be cancelled', async () => {
  await podman(`touch ${join(directory, 'started')}; exec sleep 60`);
  const cancel = new AbortController();
  const importing = importRootfs({ tarball, config }, cancel.signal);
  await vi.waitFor(() => readFile(join(directory, 'started')));
  cancel.abort();
  await expect(importing).rejects.toThrow('abort');
  expect(await readdir(join(directory, 'cache'))).toEqual(['rootfs.tar']);
});
