// @module-tag slow
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import type { Shell } from '../../../src/shell/types.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { fullShell } from '../../support/fake-shell.js';
import { promise } from '../../support/run/promise.js';

const spawn = fullShell.spawn;
let app: TestApp;
let asked: unknown[];
let killed: string[];
let next: Shell['spawn'];
beforeEach(async () => {
  [asked, killed] = [[], []];
  fullShell.spawn = (...given) => next(...given);
  app = await openTestApp();
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  await app.send('POST', '/api/projects/p/computers', { body: { name: 'desk' } });
});
afterEach(async () => {
  fullShell.spawn = spawn;
  await app.close();
});

/** The next command prints these streams; it ends with `code` when they have ended. */
function runs(stdout: Readable, stderr: Readable = Readable.from([]), code = 0): void {
  next = async (input, signal) => {
    asked.push(input);
    signal?.addEventListener('abort', () => stdout.push(null));
    const exit = once(stdout, 'end').then(() => ({ code, signal: null }));
    exit.catch(() => undefined);
    return {
      ...{ stdin: new PassThrough(), stdout, stderr, exit, resize: () => undefined },
      end: async () => undefined,
      kill: async (name) => void killed.push(name),
    };
  };
}

const path = '/api/projects/p/computers/desk/bash';
const headers = { accept: 'application/x-ndjson' };
const bash = (body: object) => app.send('POST', path, { headers, body });
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

it('streams the output as lines of JSON, and says how the command ended', async () => {
  const euro = Buffer.from('€');
  // A character in two pieces.
  const pieces = [Buffer.from('a\n'), euro.subarray(0, 1), euro.subarray(1)];
  runs(Readable.from(pieces, { objectMode: false }), Readable.from([Buffer.from('oh')]), 7);
  const answer = await bash({ command: 'make', cwd: '/tmp' });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/x-ndjson');
  const lines = linesOf(answer.text) as { type: string; data?: string }[];
  const said = (type: string) =>
    lines.map((line) => (line.type === type ? line.data : '')).join('');
  expect([said('stdout'), said('stderr')]).toEqual(['a\n€', 'oh']);
  expect(lines.at(-1)).toEqual({ type: 'exit', success: true, exit_code: 7, timed_out: false });
  expect(asked).toEqual([{ command: 'make', cwd: '/tmp' }]);
  const { json } = await app.send('GET', '/api/audit?limit=1');
  expect(json.entries).toMatchObject([
    { action: 'bash', outcome: 'ok', detail: { command_length: 4 } },
  ]);
});

it('sends output as it comes, and ends the command when the client leaves', async () => {
  const stdout = new PassThrough();
  runs(stdout);
  const sent = request({
    ...{ host: '127.0.0.1', port: app.port, path, method: 'POST' },
    headers: {
      ...{ ...headers, authorization: `Bearer ${app.world.key}` },
      'content-type': 'application/json',
    },
  }).end('{"command":"x"}');
  sent.on('error', () => undefined);
  stdout.write('first');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const [chunk] = (await once(response, 'data')) as [Buffer];
  expect(linesOf(chunk.toString())).toEqual([{ type: 'stdout', data: 'first' }]);
  response.on('error', () => undefined);
  response.destroy();
  await eventually(async () => killed.includes('KILL'));
});

it('ends the command at its timeout and says so', async () => {
  runs(new PassThrough());
  const { text } = await bash({ command: 'sleep 100', timeout: 1 });
  expect(linesOf(text)).toEqual([
    { type: 'exit', success: false, exit_code: null, timed_out: true },
  ]);
});

it('answers an error before the start as every error, and a later one as the last line', async () => {
  next = async () => {
    throw new ApiError('guest_failed', 'There is no directory "/x".');
  };
  expect(await bash({ command: 'x' })).toMatchObject({
    ...{ status: 500, headers: { 'x-error-code': 'guest_failed' } },
    json: { error: 'There is no directory "/x".' },
  });
  const stdout = new PassThrough();
  runs(stdout);
  stdout.write('some');
  setTimeout(() => stdout.destroy(new ApiError('guest_failed', 'The connection was lost.')), 50);
  expect(linesOf((await bash({ command: 'x' })).text)).toEqual([
    { type: 'stdout', data: 'some' },
    { type: 'error', code: 'guest_failed', error: 'The connection was lost.' },
  ]);
});

it('refuses what it cannot stream, and runs nothing', async () => {
  runs(new PassThrough());
  for (const body of [{ command: 'x', background: true }, { command: 7 }, { comand: 'x' }, {}]) {
    expect((await bash(body)).status).toBe(400);
  }
  expect(asked).toEqual([]);
});

promise(29, 'a large piece of output becomes several lines', async (report) => {
  runs(Readable.from([Buffer.alloc(256 * 1024)], { objectMode: false }));
  const { text } = await bash({ command: 'head -c 262144 /dev/zero' });
  const longest = Math.max(...text.split('\n').map((line) => line.length));
  expect(longest).toBeLessThan(100_000);
  const lines = linesOf(text) as { data?: string }[];
  expect(lines.map(({ data = '' }) => data).join('')).toBe('\0'.repeat(256 * 1024));
  report(`256 KiB of NUL: lines of at most ${longest} characters`);
});
