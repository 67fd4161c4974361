import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packageSources } from '../../src/images/bootstrap.js';

let apt: string;

beforeEach(async () => {
  apt = await mkdtemp(join(tmpdir(), 'vc-apt-'));
  await mkdir(join(apt, 'sources.list.d'));
});

afterEach(() => rm(apt, { recursive: true, force: true }));

test("a Debian host's mirrors are used, other vendors' sources are not", async () => {
  await writeFile(
    join(apt, 'sources.list'),
    [
      '# deb http://old.example/debian bookworm main',
      'deb [arch=amd64 signed-by=/key.gpg] http://mirror.example/debian bookworm main contrib',
      'deb-src http://mirror.example/debian bookworm main',
      'deb https://vendor.example/linux/debian bookworm stable',
      'deb http://vendor.example/apt bookworm-pgdg main',
    ].join('\n'),
  );
  await writeFile(
    join(apt, 'sources.list.d/more.sources'),
    [
      'Types: deb',
      '# a comment',
      'URIs: http://mirror.example/security',
      'Suites: bookworm-security',
      'Components: main',
      '',
      'Enabled: no',
      'Types: deb',
      'URIs: http://off.example/debian',
      'Suites: bookworm-updates',
      'Components: main',
      '',
      'Types: deb',
      'URIs: http://mirror.example/debian',
      'Suites: bookworm',
      ' bookworm-updates',
      'Components: main',
    ].join('\n'),
  );
  expect(await packageSources(apt)).toEqual([
    'deb http://mirror.example/debian bookworm main',
    'deb http://mirror.example/security bookworm-security main',
    'deb http://mirror.example/debian bookworm-updates main',
  ]);
});

test("a host with another release gets Debian's mirrors, with security updates", async () => {
  await writeFile(join(apt, 'sources.list'), 'deb http://mirror.example/debian trixie main');
  const sources = await packageSources(apt);
  expect(sources.map((line) => line.split(' ')[2])).toEqual([
    'bookworm',
    'bookworm-updates',
    'bookworm-security',
  ]);
});
