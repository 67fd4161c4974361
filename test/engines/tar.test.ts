import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { firstFile, readTar, replaceOwner, TAR_END, tarEntry } from '../../src/engines/tar.js';

const ID = 2_010_000_007;
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-tar-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Mode, owner, size and name of each entry, as GNU tar lists them. */
function list(archive: Buffer): string[] {
  const lines = execFileSync('tar', ['--list', '--verbose', '--numeric-owner', '--file=-'], {
    input: archive,
  });
  return lines
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.replace(/^(\S+) +(\S+) +(\d+) \S+ \S+ /, '$1 $2 $3 '));
}

it('writes entries that GNU tar reads', () => {
  const archive = Buffer.concat([
    tarEntry('etc/passwd', 0o644, 0, Buffer.from('user:x\n')),
    tarEntry('var/lib/vc/', 0o700, ID),
    TAR_END,
  ]);
  expect(list(archive)).toEqual([
    `-rw-r--r-- 0/0 7 etc/passwd`,
    `drwx------ ${ID}/${ID} 0 var/lib/vc/`,
  ]);
  expect(firstFile(archive).toString()).toBe('user:x\n');
});

it.each(['gnu', 'pax', 'ustar'])('replaces the owner of everything in an archive: %s', (format) => {
  const long = 'n'.repeat(90);
  mkdirSync(join(directory, 'home', long), { recursive: true });
  writeFileSync(join(directory, 'home', long, `${long}.txt`), 'x'.repeat(1_000));
  writeFileSync(join(directory, 'home', 'empty'), '');
  const pack = (owner: number) =>
    execFileSync('tar', [
      ...['-C', directory, `--format=${format}`, '--sort=name', `--owner=${owner}`],
      ...[`--group=${owner}`, '--numeric-owner', '--create', '--file=-', 'home'],
    ]);
  const parts: Buffer[] = [];
  for (const { header, content } of readTar(pack(1000))) {
    parts.push(replaceOwner(header, 1000, ID), content);
  }
  const lines = list(Buffer.concat([...parts, TAR_END]));
  expect(lines).toEqual(
    list(pack(1000)).map((line) => line.replace(' 1000/1000 ', ` ${ID}/${ID} `)),
  );
  expect(lines).toHaveLength(4);

  for (const { header } of readTar(pack(0))) expect(replaceOwner(header, 1000, ID)).toBe(header);
});

it('refuses a truncated archive', () => {
  const archive = tarEntry('file', 0o644, 0, Buffer.alloc(600));
  expect(() => [...readTar(archive.subarray(0, 600))]).toThrow('ends within an entry');
  expect(() => firstFile(TAR_END)).toThrow('has no file');
});
