import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { type Desktop, openDesktop } from '../../support/service/desktop.js';
import { VC } from '../../support/service/service.js';

/** `vc sync` with the rsync of this machine and that of a real computer. */
let desktop: Desktop;
let directory: string;

beforeAll(async () => {
  desktop = await openDesktop();
  directory = desktop.service.directory;
  const files: Record<string, string> = {
    'src/a.txt': 'one',
    "src/sub/it's b.txt": 'two',
    'src/.gitignore': 'dist/\n*.log\n',
    'src/dist/out': 'built',
    'src/run.log': 'log',
    'src/.git/HEAD': 'main',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
});
afterAll(() => desktop.close());

const sync = (...words: string[]) => desktop.service.cli(['sync', ...words], { cwd: directory });
const there = (path: string) => `${desktop.name}:${path}`;

it('a directory is copied to a computer, and then only what differs', async () => {
  const dry = await sync('src', there('deep/er/src'), '--gitignore', '--dry-run');
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('created a.txt\n') });
  await expect(desktop.run('ls deep')).rejects.toThrow();
  const first = await sync('src', there('deep/er/src'), '--gitignore', '--exclude', '*.tmp');
  expect(first.stdout.split('\n').sort()).toEqual([
    ...['', 'created .gitignore', 'created a.txt', 'created sub/', "created sub/it's b.txt"],
  ]);
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('4 changes made in ') });
  expect(await desktop.run('cd deep/er/src; cat a.txt */*; ls -A')).toBe(
    'onetwo.gitignore\na.txt\nsub\n',
  );
  writeFileSync(join(directory, 'src/a.txt'), 'changed');
  await desktop.run('cd deep/er/src; mkdir dist; touch dist/made extra it.tmp');
  const words = ['--gitignore', '--exclude', '*.tmp', '--delete', '--json'];
  const second = await sync('src', there('deep/er/src'), ...words);
  expect(
    second.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { type: 'changed', path: 'a.txt' },
    { type: 'deleted', path: 'extra' },
    { type: 'synced', changes: 2 },
  ]);
  expect(await desktop.run('cd deep/er/src; cat a.txt; ls')).toBe(
    'changeda.txt\ndist\nit.tmp\nsub\n',
  );
  const third = await sync('src', there('deep/er/src'), '--gitignore');
  expect(third).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('is up to date'),
  });
});

it('a directory is copied from a computer, without links that leave it and rights of root', async () => {
  await desktop.run(
    `mkdir -p 'my src/sub'; cd 'my src'; echo -n '#!' >tool; chmod 6755 tool; ln -s tool good
    ln -s /etc/passwd bad; ln -s ../../x worse; echo hi >"sub/$(printf 'a\\033[31m\\nb')"`,
  );
  const { code, stdout, stderr } = await sync(there('~/my src'), 'fetched/new');
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('created tool\n');
  expect(stdout).not.toContain('\u001b');
  expect((await stat(join(directory, 'fetched/new/tool'))).mode & 0o7777).toBe(0o755);
  expect(readFileSync(join(directory, 'fetched/new/good'), 'utf8')).toBe('#!');
  for (const link of ['bad', 'worse']) {
    await expect(stat(join(directory, 'fetched/new', link))).rejects.toThrow('ENOENT');
  }
});

it.each([
  ['none', 'cannot read none'],
  ['src/a.txt', 'src/a.txt is not a directory'],
])('%s is refused as source, and nothing is made', async (source, message) => {
  const { code, stderr } = await sync(source, there('refused/x'));
  expect(stderr).toContain(`error: ${message}`);
  expect(code).toBe(2);
  await expect(desktop.run('ls -d refused')).rejects.toThrow();
});

it('a missing directory of the computer is named, and the failure of a file ends it', async () => {
  const missing = await sync(there('none'), 'fetched/none');
  expect(missing).toMatchObject({ code: 5, stderr: expect.stringContaining('There is no "none"') });
  await desktop.run('mkdir -p locked/x; touch locked/x/file; chmod 000 locked/x/file');
  const { code, stderr } = await sync(there('locked'), 'fetched/locked');
  expect(stderr).toContain('Permission denied');
  expect(stderr).toContain('error: rsync could not copy everything\n');
  expect(code).toBe(1);
});

/** Runs `vc sync --watch` during the work, and interrupts it unless it has ended. */
async function watching(
  words: readonly string[],
  work: (end: Promise<unknown>) => Promise<unknown>,
) {
  const { env } = desktop.service;
  const child = execa(process.execPath, [VC, 'sync', ...words, '--watch'], {
    ...{ cwd: directory, env, extendEnv: false, stdin: 'ignore', reject: false },
  });
  try {
    await work(child);
  } finally {
    child.kill('SIGINT');
  }
  const { exitCode: code, stdout, stderr } = await child;
  return { code, stdout, stderr };
}

/** The text of a file of this machine; undefined while there is none. */
const textOf = (path: string) => readFile(join(directory, path), 'utf8').catch(() => undefined);

it('with --watch, changes of this machine are copied until Ctrl-C', async () => {
  mkdirSync(join(directory, 'live'));
  const { code, stderr } = await watching(['live', there('live'), '--delete'], async () => {
    await desktop.until('test -d live');
    writeFileSync(join(directory, 'live/one'), '1');
    await desktop.until('test -e live/one');
    for (const text of ['first', 'second']) {
      writeFileSync(join(directory, 'live/next'), text);
      renameSync(join(directory, 'live/next'), join(directory, 'live/one'));
      await desktop.until(`test "$(cat live/one)" = ${text}`);
    }
    writeFileSync(join(directory, 'live/one'), '1');
    mkdirSync(join(directory, 'live/new/deep'), { recursive: true });
    writeFileSync(join(directory, 'live/new/deep/two'), '2');
    symlinkSync('one', join(directory, 'live/link'));
    await desktop.until('test "$(cat live/new/deep/two live/link)" = 21');
    rmSync(join(directory, 'live/new'), { recursive: true });
    await desktop.until('test ! -e live/new');
  });
  expect(code, stderr).toBe(0);
  expect(stderr).not.toContain('error');
});

it('with --watch, changes of the computer are copied', async () => {
  await desktop.run('mkdir -p far; echo 1 >far/one');
  const { code, stderr } = await watching([there('far'), 'near'], async () => {
    await eventually(async () => (await textOf('near/one')) === '1\n');
    await desktop.run('echo more >>far/one; mkdir -p far/x/y; echo 2 >far/x/y/two');
    await eventually(async () => (await textOf('near/one')) === '1\nmore\n');
    await eventually(async () => (await textOf('near/x/y/two')) === '2\n');
  });
  expect(code, stderr).toBe(0);
});

it('the end of the computer ends --watch, with the way to start it', async () => {
  const { code, stderr } = await watching(['live', there('live')], async (end) => {
    writeFileSync(join(directory, 'live/last'), '');
    await desktop.until('test -e live/last');
    await desktop.computer.stop();
    await end;
  });
  expect(stderr).toContain(`error: ${desktop.name} is stopp`);
  expect(stderr).toContain('start it: vc start');
  expect(code).toBe(6);
  expect(await sync('live', there('live'))).toMatchObject({ code: 6 });
});
