import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TarItem, tarEntries } from '../../../src/lib/tar/read.js';
import { TAR_END, tarEntryHeader, tarPadding } from '../../../src/lib/tar/write.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vc-tar-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const long = `${'d'.repeat(90)}/${'é'.repeat(60)}`;

async function list(archive: Uint8Array, piece = 700) {
  const pieces = async function* () {
    for (let at = 0; at < archive.length; at += piece) yield archive.subarray(at, at + piece);
  };
  const found: (Partial<TarItem> & { text: string })[] = [];
  for await (const { content, name, kind, mode, uid, linkName } of tarEntries(pieces())) {
    let text = '';
    if (name !== 'skipped') for await (const each of content) text += each.toString();
    found.push({ name, kind, mode, uid, linkName, text });
  }
  return found;
}

test.each(['gnu', 'pax', 'ustar'])('reads what tar --format=%s writes', async (format) => {
  const deep = format === 'ustar' ? `${'d'.repeat(90)}/${'f'.repeat(60)}` : long;
  mkdirSync(join(root, deep, '..'), { recursive: true });
  writeFileSync(join(root, deep), 'hello', { mode: 0o640 });
  symlinkSync(deep.slice(0, 95), join(root, 'link'));
  const words = [`--format=${format}`, '--sort=name', '-C', root, '-c', deep, 'link'];
  const archive = execFileSync('tar', words);
  expect(await list(archive, 7)).toMatchObject([
    { name: deep, kind: 'file', mode: 0o640, text: 'hello' },
    { name: 'link', kind: 'symlink', linkName: deep.slice(0, 95) },
  ]);
});

test('tar reads what is written, long names and large ids included', async () => {
  const entry = (name: string, text: string) => [
    tarEntryHeader({ name, kind: 'file', mode: 0o755, uid: 2_010_000_000, size: text.length }),
    Buffer.from(text),
    tarPadding(text.length),
  ];
  const archive = Buffer.concat([
    tarEntryHeader({ name: 'dir/', kind: 'directory', mode: 0o700 }),
    ...entry(long, 'hello'),
    ...entry('skipped', 'x'.repeat(5000)),
    tarEntryHeader({ name: 'dir/link', kind: 'symlink', mode: 0o777, linkName: long }),
    TAR_END,
  ]);
  const listed = execFileSync('tar', ['-tv', '--numeric-owner', '--quoting-style=literal'], {
    input: archive,
    encoding: 'utf8',
  });
  expect(listed).toMatch(/^drwx------ 0\/0 +0 .* dir\/$/m);
  expect(listed).toContain(`-rwxr-xr-x 2010000000/0 `);
  expect(listed).toContain(`dir/link -> ${long}`);
  expect(await list(archive)).toMatchObject([
    { name: 'dir/', kind: 'directory', mode: 0o700 },
    { name: long, uid: 2_010_000_000, text: 'hello' },
    { name: 'skipped', text: '' },
    { name: 'dir/link', linkName: long },
  ]);
});

test.each([
  ['ends early', Buffer.alloc(0), 'the archive ends early'],
  ['is something else', Buffer.alloc(1024, 'x'), 'this is not a tar archive'],
  [
    'has an endless name',
    tarEntryHeader({ name: 'x', kind: 'file', mode: 0, linkName: 'y'.repeat(300_000) }),
    'a name in the archive is too long',
  ],
])('an archive that %s is refused', async (_what, archive, message) => {
  await expect(list(archive)).rejects.toThrow(message);
});
