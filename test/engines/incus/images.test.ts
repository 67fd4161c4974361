import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { INIT_SCRIPT } from '../../../src/engines/incus/images/init-script.js';
import { initEntry, metadataArchive } from '../../../src/engines/incus/images/manage.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-image-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('the metadata has a creation date and properties: a server without them fails', () => {
  writeFileSync(
    join(directory, 'metadata.tar'),
    metadataArchive({ name: 'wine', os: 'windows' }, 'ab'),
  );
  execFileSync('tar', ['-xf', 'metadata.tar'], { cwd: directory });
  const metadata = JSON.parse(readFileSync(join(directory, 'metadata.yaml'), 'utf8'));
  expect(metadata.creation_date).toBeGreaterThan(1.7e9);
  expect(metadata.properties).toMatchObject({
    'vc.name': 'wine',
    'vc.recipe': 'ab',
    'vc.os': 'windows',
  });
});

test('tar reads a root file system with the first process put before it', () => {
  writeFileSync(join(directory, 'file'), 'content');
  execFileSync('tar', ['-cf', 'root.tar', './file'], { cwd: directory });
  rmSync(join(directory, 'file'));
  const whole = Buffer.concat([initEntry(), readFileSync(join(directory, 'root.tar'))]);
  writeFileSync(join(directory, 'root.tar'), whole);
  execFileSync('tar', ['-xf', 'root.tar', '--no-same-owner'], { cwd: directory });
  expect(readFileSync(join(directory, 'file'), 'utf8')).toBe('content');
  expect(readFileSync(join(directory, 'usr/sbin/init'), 'utf8')).toBe(INIT_SCRIPT);
  expect(statSync(join(directory, 'usr/sbin/init')).mode & 0o777).toBe(0o755);
});

test('the script of the first process is valid for bash', () => {
  execFileSync('bash', ['-n'], { input: INIT_SCRIPT });
});
