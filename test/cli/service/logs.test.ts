import {
  appendFile,
  copyFile,
  mkdir,
  readFile,
  rename,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { Chalk } from 'chalk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Interrupts } from '../../../src/cli/framework/interrupts.js';
import { readableLogLine } from '../../../src/cli/service/log-line.js';
import { lastLines, newLines } from '../../../src/cli/service/read-log.js';
import { readServiceRecord, writeServiceRecord } from '../../../src/cli/service/record.js';
import { identifyProcess } from '../../../src/lib/process/identity.js';
import { openWorld, type RunOptions, type World } from '../support/run.js';

let world: World;
let state: string;
let log: string;
beforeEach(async () => {
  world = await openWorld();
  state = join(world.directory, 'state');
  log = join(state, 'serve.log');
  await mkdir(state);
  await record(log);
});
afterEach(() => world.close());

const record = async (file: string | null) =>
  writeServiceRecord(state, {
    ...{ version: '1.2.3', url: world.service.baseUrl, argv: ['serve'], environment: {} },
    ...{ started_at: '2025-01-02T02:04:05.000Z', log: file },
    process: file === null ? ((await identifyProcess(process.pid)) ?? null) : null,
  });
const logs = (words: string[] = [], options: RunOptions = {}) =>
  world.run(['service', 'logs', ...words], {
    ...options,
    env: { VC_STATE_DIR: state, NO_COLOR: '1' },
  });

const now = new Date(2026, 10, 22, 12, 0, 0);
const time = new Date(2026, 10, 22, 11, 3, 7).getTime();
const json = (entry: object) => JSON.stringify({ level: 30, time, ...entry });
const line = (text: string) => readableLogLine(text, now, new Chalk({ level: 0 }));

describe('a line on a terminal', () => {
  test.each([
    [{ msg: 'hello' }, '11:03:07 INFO  hello'],
    [{ level: 40, msg: 'slow', engine: 'qemu' }, '11:03:07 WARN  slow engine=qemu'],
    [{ level: 50, msg: 'x', err: { message: 'a b', stack: '…' } }, '11:03:07 ERROR x err="a b"'],
    [{ level: 20, msg: 'x', ids: [1], n: null }, '11:03:07 DEBUG x ids=[1] n=null'],
    [{ level: 35, msg: 'x' }, '11:03:07 INFO  x'],
    [{ msg: 'a\u001b[2Jb\u202e' }, '11:03:07 INFO  a\ufffd[2Jb\ufffd'],
    [{ msg: 'x', name: 'a b="c"' }, '11:03:07 INFO  x name="a b=\\"c\\""'],
  ])('%j', (entry, text) => {
    expect(line(json(entry))).toBe(text);
  });

  test('shows the method, path and status of a request', () => {
    const request = { method: 'GET', route: '/api/me', status: 200, ms: 3.1, id: 'req_1' };
    const text = line(json({ ...request, msg: 'request' }));
    expect(text).toBe('11:03:07 INFO  GET /api/me 200 3.1 ms id=req_1');
  });

  test('has the date if it is from another day', () => {
    const yesterday = { time: new Date(2026, 10, 21, 23, 59, 58).getTime(), msg: 'x' };
    expect(line(json(yesterday))).toBe('2026-11-21 23:59:58 INFO  x');
  });

  test.each(['listening on http://127.0.0.1:4700/api', '', 'null', '[1]', '{"a":1}', '{"time":'])(
    'stays as it is unless it is an entry: %j',
    (text) => {
      expect(line(text)).toBe(text);
    },
  );
});

test('prints readable lines on a terminal and JSON in a pipe', async () => {
  const entry = { level: 30, time: Date.parse('2025-01-02T03:00:00Z'), msg: 'hello' };
  await writeFile(log, `${JSON.stringify(entry)}\nlistening on x\nerror: no\n`);
  const shown = await logs([], { terminal: true });
  expect(shown.stdout).toMatch(/^(\S+ )?\d\d:00:00 INFO {2}hello\nlistening on x\nerror: no\n$/);
  const piped = await logs();
  expect(
    piped.stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text)),
  ).toEqual([entry, { level: 30, msg: 'listening on x' }, { level: 50, msg: 'error: no' }]);
  expect((await logs(['--json'], { terminal: true })).stdout).toBe(piped.stdout);
});

test('JSON on a terminal cannot control it', async () => {
  const entry = { level: 30, time, msg: '\u009b31m\u202eab\u200f' };
  await writeFile(log, `${JSON.stringify(entry)}\n`);
  const { stdout } = await logs(['--json'], { terminal: true });
  expect(stdout.trimEnd()).not.toMatch(/[\p{Cc}\u200f\u202e]/u);
  expect(JSON.parse(stdout)).toEqual(entry);
});

test('the record of a service gives only the variables that engines read', async () => {
  const file = join(state, 'service.json');
  const written = JSON.parse(await readFile(file, 'utf8'));
  const environment = { DOCKER_HOST: 'unix:///a', NODE_OPTIONS: '--require /tmp/x.js' };
  await writeFile(file, JSON.stringify({ ...written, environment }));
  expect((await readServiceRecord(state))?.environment).toEqual({ DOCKER_HOST: 'unix:///a' });
});

test('--lines limits the lines, including those from before a rotation', async () => {
  await writeFile(`${log}.old`, '{"a":1}\n{"a":2}\n');
  await writeFile(log, '{"a":3}\n{"a":4}\n{"half"');
  expect((await logs()).stdout).toBe('{"a":1}\n{"a":2}\n{"a":3}\n{"a":4}\n');
  expect((await logs(['-n', '3'])).stdout).toBe('{"a":2}\n{"a":3}\n{"a":4}\n');
  expect((await logs(['-n', '1'])).stdout).toBe('{"a":4}\n');
  expect((await logs(['-n', '0'])).stdout).toBe('');
});

test('--follow runs until Ctrl-C, which exits with 0', async () => {
  await writeFile(log, '{"a":1}\n');
  const interrupts = new Interrupts();
  const { code, stdout, stderr } = await logs(['-f'], {
    interrupts,
    onStdout: (text) => {
      if (text === '{"a":1}\n') void appendFile(log, '{"a":2}\n');
      else interrupts.trigger('SIGINT');
    },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe('{"a":1}\n{"a":2}\n');
});

test('--follow reads new lines once, also after a rotation of either kind', async () => {
  await writeFile(log, 'one\n');
  const { end } = await lastLines(log, 1);
  const stop = new AbortController();
  const lines = newLines(log, end, stop.signal);
  const next = async () => (await lines.next()).value;
  await appendFile(log, 'two\nthr');
  expect(await next()).toEqual(['two']);
  await appendFile(log, 'ee\n');
  expect(await next()).toEqual(['three']);
  await copyFile(log, `${log}.old`);
  await truncate(log);
  await appendFile(log, 'four\n');
  expect(await next()).toEqual(['four']);
  await rename(log, `${log}.old`);
  await writeFile(log, 'five, longer than what was there before\n');
  expect(await next()).toEqual(['five, longer than what was there before']);
  stop.abort();
  await expect(lines.next()).rejects.toThrow('abort');
});

test('a missing log, or a service in the foreground, is reported', async () => {
  const none = await logs();
  expect(none).toMatchObject({ code: 5, stdout: '' });
  expect(none.stderr).toContain('there is no log');
  await record(null);
  await writeFile(log, 'of an earlier service\n');
  const { code, stdout, stderr } = await logs();
  expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  expect(stderr).toContain('runs in the foreground and logs to its own stderr');
});

test('a log that cannot be read is an error', async () => {
  await mkdir(log);
  const { code, stderr } = await logs();
  expect(code).toBe(2);
  expect(stderr).toMatch(/^error: cannot read .*serve\.log: is a directory\n/);
});

test.each([['-n', 'all'], ['-n', '-1'], ['-n', '1.5'], ['-n', '9999999'], ['--tail', '3'], ['x']])(
  'logs %s %s is a usage error',
  async (...words) => {
    await writeFile(log, '');
    expect((await logs(words.filter(Boolean))).code).toBe(2);
  },
);
