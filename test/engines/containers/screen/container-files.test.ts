import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  openInContainer,
  within,
} from '../../../../src/engines/containers/screen/container-files.js';

/** This process in place of a container's; its root directory is that of the host. */
const own = () => ({
  pid: process.pid,
  container: readFileSync('/proc/self/cgroup', 'utf8').trim(),
});

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-container-'));
  await mkdir(join(directory, 'sockets'));
  await writeFile(join(directory, 'sockets', 'file'), 'content');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const path = (...names: string[]) => [...directory.split('/').filter(Boolean), ...names];
/** Other files of the process may open and close some meanwhile. */
const descriptors = () => readdirSync('/proc/self/fd').length;

describe.runIf(process.platform === 'linux')("a directory in a container's file system", () => {
  it('is opened through a process of the container', async () => {
    const before = descriptors();
    const opened = await openInContainer(own(), path('sockets'));
    if (opened === undefined) throw new Error('it was not opened');
    expect(await readFile(within(opened, 'file'), 'utf8')).toBe('content');
    await opened.close();
    await expect.poll(descriptors).toBeLessThanOrEqual(before);
  });

  it.each([
    ['of another container', { container: 'f'.repeat(64) }],
    ['that has ended', { pid: 2 ** 22 + 1 }],
  ])('is not opened through a process %s', async (_, other) => {
    const before = descriptors();
    expect(await openInContainer({ ...own(), ...other }, path('sockets'))).toBeUndefined();
    await expect.poll(descriptors).toBeLessThanOrEqual(before);
  });

  it.each(['link', 'file', 'missing'])('is refused if it is not a directory: %s', async (name) => {
    symlinkSync('/etc', join(directory, 'link'));
    await writeFile(join(directory, 'file'), '');
    const before = descriptors();
    await expect(openInContainer(own(), path(name))).rejects.toMatchObject({
      code: 'guest_failed',
    });
    await expect(openInContainer(own(), path(name, 'sub'))).rejects.toMatchObject({
      code: 'guest_failed',
    });
    await expect.poll(descriptors).toBeLessThanOrEqual(before);
  });
});
