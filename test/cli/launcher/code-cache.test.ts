import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

const LOADER = fileURLToPath(new URL('../../../bin/code-cache.js', import.meta.url));
const LAUNCHER = fileURLToPath(new URL('../../../bin/vc.js', import.meta.url));
const isRoot = process.geteuid?.() === 0;

let directory: string;
let program: string;
let caches: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-code-cache-'));
  program = join(directory, 'program.cjs');
  caches = join(directory, 'cache');
  writeFileSync(program, 'exports.answer = () => "one";');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** What the program answers in a process of its own. */
async function run(word = 'ls', env: Record<string, string> = { XDG_CACHE_HOME: caches }) {
  const code = `process.stdout.write(require(${JSON.stringify(LOADER)}).load(${JSON.stringify(program)}, '${word}').answer())`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['-e', code], { env });
  return stdout + stderr;
}

function cacheFile(): string {
  const [name = '', ...others] = readdirSync(join(caches, 'vc'));
  expect(others).toEqual([]);
  return join(caches, 'vc', name);
}

const header = () => JSON.parse(readFileSync(cacheFile(), 'utf8').split('\n', 1)[0] ?? '');

test('compiled code is kept for the user alone, and grows with each command', async () => {
  expect(await run('ls')).toBe('one');
  expect(statSync(join(caches, 'vc')).mode & 0o777).toBe(0o700);
  expect(statSync(cacheFile()).mode & 0o777).toBe(0o600);
  const before = statSync(cacheFile()).ino;
  expect(await run('ls')).toBe('one');
  expect(statSync(cacheFile()).ino).toBe(before);
  expect(await run('exec')).toBe('one');
  expect(header().words).toEqual(['ls', 'exec']);
});

test('a program of the same size that took the place of another is compiled again', async () => {
  await run();
  writeFileSync(program, 'exports.answer = () => "two";');
  expect(await run()).toBe('two');
  expect(await run()).toBe('two');
});

/** Writes a cache whose words show whether it was accepted: then none is written. */
async function isUsed(change: (path: string) => void): Promise<boolean> {
  await run();
  const path = cacheFile();
  change(path);
  const { ino } = statSync(path);
  expect(await run()).toBe('one');
  return statSync(cacheFile()).ino === ino;
}

test('compiled code that others can write is not used', async () => {
  expect(await isUsed(() => {})).toBe(true);
  expect(await isUsed((path) => chmodSync(path, 0o620))).toBe(false);
});

test.runIf(isRoot)('compiled code of another user is not used', async () => {
  expect(await isUsed((path) => chownSync(path, 12_345, 12_345))).toBe(false);
});

test('nothing is read from or written to a directory that others can write', async () => {
  await run();
  chmodSync(join(caches, 'vc'), 0o777);
  expect(await run('exec')).toBe('one');
  expect(header().words).toEqual(['ls']);
});

test('damaged compiled code is replaced', async () => {
  await run();
  writeFileSync(cacheFile(), 'no header');
  expect(await run()).toBe('one');
  expect(header().words).toEqual(['ls']);
  writeFileSync(cacheFile(), `${JSON.stringify(header())}\nno code of V8`);
  expect(await run('exec')).toBe('one');
  expect(header().words).toEqual(['exec']);
});

test('a program runs where nothing can be kept', async () => {
  writeFileSync(caches, 'a file');
  expect(await run()).toBe('one');
  expect(await run('ls', { NODE_DISABLE_COMPILE_CACHE: '1', XDG_CACHE_HOME: directory })).toBe(
    'one',
  );
  expect(await run('ls', { HOME: 'relative' })).toBe('one');
  expect(readdirSync(directory).sort()).toEqual(['cache', 'program.cjs']);
});

/** The directory that Node.js is given for its cache. */
async function nodeDirectory(env: Record<string, string>): Promise<string> {
  const code = `process.stdout.write(String(require(${JSON.stringify(LOADER)}).nodeDirectory()))`;
  return (await promisify(execFile)(process.execPath, ['-e', code], { env })).stdout;
}

test('the cache of Node.js is in a directory of the user alone', async () => {
  const found = await nodeDirectory({ XDG_CACHE_HOME: caches });
  expect(found).toBe(join(realpathSync(caches), 'vc/node'));
  expect(statSync(found).mode & 0o777).toBe(0o700);
  expect(await nodeDirectory({ VC_CACHE_DIR: caches })).toBe(join(realpathSync(caches), 'node'));
  expect(await nodeDirectory({})).toBe('undefined');
  chmodSync(found, 0o750);
  expect(await nodeDirectory({ XDG_CACHE_HOME: caches })).toBe('undefined');
});

test('Node.js gets no directory that others can replace', async () => {
  await nodeDirectory({ XDG_CACHE_HOME: caches });
  chmodSync(caches, 0o777);
  expect(await nodeDirectory({ XDG_CACHE_HOME: caches })).toBe('undefined');
});

test.runIf(isRoot)('Node.js gets no directory below that of another user', async () => {
  await nodeDirectory({ XDG_CACHE_HOME: caches });
  chownSync(caches, 12_345, 12_345);
  expect(await nodeDirectory({ XDG_CACHE_HOME: caches })).toBe('undefined');
});

test('the launcher keeps no code in the directory for temporary files', async () => {
  const temporary = join(directory, 'tmp');
  mkdirSync(temporary);
  const env = {
    TMPDIR: temporary,
    XDG_CACHE_HOME: caches,
    VC_CONFIG_DIR: join(directory, 'config'),
  };
  await promisify(execFile)(process.execPath, [LAUNCHER, 'profile', 'ls'], { env });
  expect(readdirSync(temporary)).toEqual([]);
  expect(readdirSync(join(caches, 'vc'))).toHaveLength(1);
});
