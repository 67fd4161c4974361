import { execFileSync } from 'node:child_process';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { speak } from '../../../../src/engines/containers/dialect.js';
import {
  edit,
  HostNameRefused,
  HostNames,
  type HostNamesOptions,
  withName,
} from '../../../../src/engines/containers/machine/host-names.js';
import { dockerDialect } from '../../../../src/engines/docker/client.js';

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-names-'));
  file = join(directory, 'hosts');
  writeFileSync(file, 'a long text\n');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(directory, { recursive: true, force: true });
});

describe('a file of a guest', () => {
  it('is changed in place', async () => {
    const { ino } = await stat(file);
    await edit(file, () => 'short\n');
    expect(await readFile(file, 'utf8')).toBe('short\n');
    expect((await stat(file)).ino).toBe(ino);
  });

  it('is left alone if it grows while it is read', async () => {
    const handle = await open(file);
    const prototype = Object.getPrototypeOf(handle);
    await handle.close();
    const original = prototype.stat;
    vi.spyOn(prototype, 'stat').mockImplementation(async function (this: unknown) {
      const stats = await original.call(this);
      truncateSync(file, 32 * 2 ** 20);
      return stats;
    });
    const change = vi.fn((text: string) => text);
    await edit(file, change);
    expect(change).not.toHaveBeenCalled();
  });

  it('is not followed if it is a link, and not waited for if it is a pipe', async () => {
    const [link, pipe] = [join(directory, 'link'), join(directory, 'pipe')];
    symlinkSync(file, link);
    execFileSync('mkfifo', [pipe]);
    const change = vi.fn((text: string) => text);
    await expect(edit(link, change)).rejects.toMatchObject({ code: 'ELOOP' });
    await edit(pipe, change);
    expect(change).not.toHaveBeenCalled();
  });
});

it('a computer that was called localhost leaves the loopback address its name', () => {
  const hosts = '127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost\n10.213.0.2\tlocalhost\n';
  expect(withName(hosts, 'localhost', '1st')).toBe(
    '127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost\n10.213.0.2\t1st\n',
  );
  expect(withName('10.213.0.2\tcomputer\n', 'cmp-1', 'desk')).toBe('10.213.0.2\tdesk\n');
  expect(withName('10.213.0.2\tcmp-1 vc-cmp_1\n', 'cmp-1', 'desk')).toBe(
    '10.213.0.2\tdesk vc-cmp_1\n',
  );
});

describe('a failure', () => {
  /** Of an Engine on another host. */
  function openNames(
    run: () => Promise<{ code: number; output: string }>,
    inspect: () => Promise<object> = async () => ({
      Config: { Hostname: 'cmp-1' },
      State: { Running: true, Pid: 1 },
    }),
  ) {
    const problems: string[] = [];
    const names = new HostNames({
      docker: speak(
        { modem: { host: 'elsewhere' }, getContainer: () => ({ inspect }) } as unknown as Docker,
        dockerDialect,
      ),
      helper: { run },
      onProblem: (message: string) => problems.push(message),
    } as unknown as HostNamesOptions);
    names.set('cmp_1', 'desk');
    return { names, problems };
  }

  it.each([
    "nsenter: reassociate to namespace 'ns/uts' failed: Operation not permitted",
    'hostname: you must be root to change the host name',
    'sh: 5: cannot create hosts: Permission denied',
  ])('is final where the Engine forbids it: %s', async (output) => {
    const { names } = openNames(async () => ({ code: 1, output }));
    await expect(names.change('cmp_1', 'c')).rejects.toThrow(HostNameRefused);
    await expect(names.change('cmp_1', 'c')).rejects.toThrow(output);
  });

  const away = async () => {
    throw new Error('the Engine is away');
  };
  it.each([
    ['the Engine does not answer', openNames(away, away)],
    ['the helper cannot be started', openNames(away)],
    ['the helper is killed', openNames(async () => ({ code: 137, output: '' }))],
    [
      'the disk is full',
      openNames(async () => ({ code: 1, output: 'sh: write error: No space left on device' })),
    ],
  ])('may be another time if %s', async (_, { names, problems }) => {
    await expect(names.change('cmp_1', 'c')).rejects.not.toThrow(HostNameRefused);
    await names.apply('cmp_1', 'c');
    expect(problems).toEqual([expect.stringMatching(/^The host name of cmp_1 cannot be set: ./)]);
  });
});
