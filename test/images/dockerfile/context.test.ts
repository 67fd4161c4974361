import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BuildContext, digestOf } from '../../../src/images/dockerfile/context.js';
import { packContext } from '../../../src/images/dockerfile/pack.js';
import { tarEntries } from '../../../src/lib/tar/read.js';
import { type TarContent, writeTar } from '../../../src/lib/tar/write.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vc-context-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const file = (name: string, text = '', mode = 0o644): TarContent => {
  const content = [Buffer.from(text)];
  return { name, kind: 'file', mode, size: Buffer.byteLength(text), content };
};
const link = (name: string, linkName: string, kind: 'symlink' | 'link' = 'symlink'): TarContent => {
  return { name, kind, mode: 0o777, linkName };
};
const receive = (entries: Iterable<TarContent>, limits = {}) =>
  BuildContext.receive(writeTar(entries), { directory: root, ...limits });

function pieces(bytes: Uint8Array) {
  return (async function* () {
    yield bytes;
  })();
}

async function names(archive: AsyncIterable<Uint8Array>): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of tarEntries(archive)) found.push(name);
  return found;
}

test.each([
  ['a path out of it', file('../x'), '"../x", which leads out of it'],
  ['a path out of it, in the middle', file('a/../../x'), 'which leads out of it'],
  ['an absolute path', file('/etc/passwd'), '"/etc/passwd", which is an absolute path'],
  ['a hard link out of it', link('a', '../x', 'link'), '"../x", which leads out of it'],
  ['a hard link to nothing', link('a', 'etc/x', 'link'), 'which is no file before it'],
  ['a long name', file('x'.repeat(300)), 'which is not a valid path'],
])('an archive with %s is refused', async (_what, entry, message) => {
  await expect(receive([entry])).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(message),
  });
  expect(readdirSync(root)).toEqual([]);
});

test('files behind a link are refused: they would lie where it points to', async () => {
  await expect(receive([link('a', '/etc'), file('a/passwd')])).rejects.toThrow(
    'lies in something that is no directory',
  );
});

test('devices and pipes are refused', async () => {
  execFileSync('mkfifo', [join(root, 'pipe')]);
  const archive = execFileSync('tar', ['-c', '-C', root, 'pipe']);
  await expect(BuildContext.receive(pieces(archive), { directory: root })).rejects.toThrow(
    '"pipe", which is neither a file, a directory nor a link',
  );
});

test.each([
  ['something else', Buffer.alloc(2048, 'x'), 'this is not a tar archive'],
  ['half an archive', Buffer.alloc(0), 'the archive ends early'],
])('%s is refused', async (_what, bytes, message) => {
  await expect(BuildContext.receive(pieces(bytes), { directory: root })).rejects.toMatchObject({
    code: 'invalid_request',
    message: `The context cannot be read: ${message}.`,
  });
});

test('bytes and files are limited while they arrive', async () => {
  const endless = function* () {
    for (let n = 0; ; n += 1) yield file(`f${n}`, 'x'.repeat(1000));
  };
  for (const limits of [{ maxBytes: 100_000 }, { maxEntries: 100 }]) {
    await expect(receive(endless(), limits)).rejects.toMatchObject({ code: 'payload_too_large' });
  }
});

test('links are followed within the context', async () => {
  const context = await receive([
    file('dir/a', 'text'),
    link('dir/up', '../dir/a'),
    link('d', 'dir'),
    link('hard', 'dir/a', 'link'),
    link('out', '../../etc/passwd'),
    link('absolute', '/etc/passwd'),
    link('loop', 'loop'),
  ]);
  for (const path of ['dir/a', 'dir/up', 'd/up', './d//a', 'hard']) {
    expect(await context.text(path, 100), path).toBe('text');
  }
  await expect(context.text('../x', 1)).rejects.toMatchObject({ code: 'invalid_request' });
  expect(() => context.find('out')).toThrow('out leads out of the context');
  expect(() => context.find('absolute')).toThrow('leads out of the context, to /etc/passwd');
  expect(() => context.find('loop')).toThrow('loop has links without an end');
  expect(context.find('dir/b')).toEqual([]);
  await context.close();
});

test('patterns match as those of Go', async () => {
  const context = await receive(['a1', 'a2', 'b1', 'x/a1', '[q]'].map((name) => file(name)));
  const found = (pattern: string) => context.find(pattern).map(({ name }) => name);
  expect(found('a*')).toEqual(['a1', 'a2']);
  expect(found('?1')).toEqual(['a1', 'b1']);
  expect(found('[^a]1')).toEqual(['b1']);
  expect(found('*/a1')).toEqual(['a1']);
  expect(found('\\[q\\]')).toEqual(['[q]']);
  expect(found('[[]q]')).toEqual(['[q]']);
  expect(found('.')).toEqual(['']);
  await context.close();
});

test('a digest is of names, permissions and contents, not of times', async () => {
  const digest = async (entries: TarContent[]) => {
    const context = await receive(entries);
    const found = digestOf(context.find('.'));
    await context.close();
    return found;
  };
  const [a, b] = [file('d/a', 'x'), file('d/b', 'y')];
  const first = await digest([a, b]);
  expect(await digest([{ ...b, modified: 9 }, a])).toBe(first);
  expect(await digest([file('d/a', 'z'), b])).not.toBe(first);
  expect(await digest([file('d/a', 'x', 0o755), b])).not.toBe(first);
  expect(await digest([file('d/c', 'x'), b])).not.toBe(first);
});

test('a context is packed with its links, without sockets, the Dockerfile first', async () => {
  for (const name of ['Dockerfile', 'a', '.dockerignore', 'deep/b', 'skip/keep', 'skip/other']) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), name === '.dockerignore' ? 'skip\nDockerfile\n!skip/keep' : '');
  }
  symlinkSync('/etc/passwd', join(root, 'link'));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(root, 'socket'), resolve));
  const skipped: string[] = [];
  const archive = packContext(root, { onSkipped: (path) => skipped.push(path) });
  expect(await names(archive)).toEqual([
    ...['Dockerfile', '.dockerignore', 'a', 'deep/', 'deep/b', 'link', 'skip/keep'],
  ]);
  expect(skipped).toEqual(['socket']);
  await new Promise((resolve) => server.close(resolve));
});

test('what cannot be packed is said', async () => {
  await expect(names(packContext(root))).rejects.toThrow(`There is no ${join(root, 'Dockerfile')}`);
  writeFileSync(join(root, 'large'), 'x'.repeat(5000));
  const packed = names(packContext(root, { text: 'FROM linux', maxBytes: 4000 }));
  await expect(packed).rejects.toMatchObject({ code: 'payload_too_large' });
  expect(await names(packContext(root, { text: 'FROM linux' }))).toEqual(['Dockerfile', 'large']);
});
