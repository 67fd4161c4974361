// @module-tag slow
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type ChildProgram,
  compileProgram,
  openPipe,
  runInto,
  runIntoLateReader,
} from '../support/child.js';
import { type FakeService, startFakeService } from '../support/fake-service.js';
import { API_KEY } from '../support/run.js';

const C = '/projects/demo/computers/desktop';
const DESK = 'demo/desktop';

let program: ChildProgram;
beforeAll(async () => {
  program = await compileProgram();
});
afterAll(() => program.close());

let service: FakeService;
beforeEach(async () => {
  service = await startFakeService();
});
afterEach(() => service.close());

const env = () => ({
  VC_BASE_URL: service.baseUrl,
  VC_API_KEY: API_KEY,
  VC_CONFIG_DIR: join(program.directory, 'config'),
  HOME: program.directory,
  PATH: process.env.PATH,
});
const options = () => ({ env: env(), cwd: program.directory });
const line = (...words: string[]) => [program.entry, ...words];

/** Lets each way to print bytes of a computer print these. */
function serve(bytes: Buffer): void {
  const text = bytes.toString('latin1');
  service.handle(`GET ${C}/files`, (_, response) => response.end(bytes));
  service.handle(`GET ${C}/screenshot`, (_, response) =>
    response.setHeader('content-type', 'image/png').end(bytes),
  );
  service.handle(`GET ${C}/record`, (_, response) =>
    response.setHeader('content-type', 'video/mp4').end(videoOf(bytes.length)),
  );
  service.on(`GET ${C}/jobs`, { jobs: [] });
  service.on(`GET ${C}/jobs/job_a`, {
    ...{ job_id: 'job_a', status: 'exited', exit_code: 0, truncated: false },
    ...{ output: text, output_bytes: bytes.length, next_offset: bytes.length },
  });
  service.onProcess((_, socket) => {
    for (let at = 0; at < bytes.length; at += 32_768) {
      socket.send(Buffer.concat([Buffer.of(1), bytes.subarray(at, at + 32_768)]));
    }
    socket.send(JSON.stringify({ type: 'exit', code: 0, signal: null }));
    socket.close();
  });
}

const videoOf = (length: number) =>
  Buffer.concat([box('ftyp', 24), box('moov', 8), box('mdat', length - 32)]);

function box(type: string, length: number): Buffer {
  const bytes = Buffer.alloc(length, 1);
  bytes.writeUInt32BE(length);
  bytes.write(type, 4, 'latin1');
  return bytes;
}

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
/** Letters, which are the same bytes in each encoding. */
const letters = (length: number) => Buffer.from(randomBytes(length / 2).toString('hex'));

test('every byte reaches a reader that starts late', { timeout: 120_000 }, async () => {
  const bytes = letters(70_000);
  serve(bytes);
  const commands = [
    ['cp', `${DESK}:m`, '-'],
    ['exec', DESK, 'cat', 'm'],
    ['bash', DESK, 'cat m'],
    ['python', DESK, '-c', 'print()'],
    ['shell', DESK],
    ['screenshot', DESK, '-o', '-'],
    ['record', DESK, '-o', '-'],
    ['job', 'logs', DESK, 'job_a'],
    ['api', `${C}/files?path=m`],
  ];
  const run = async (words: readonly string[]) => {
    const ended = await runIntoLateReader(line(...words), program.directory, options());
    return [words[0], ended.code, ended.stderr, ended.stdout.length, hash(ended.stdout)];
  };
  expect(await Promise.all(commands.map(run))).toEqual(
    commands.map(([name]) => {
      const sent = name === 'record' ? videoOf(bytes.length) : bytes;
      return [name, 0, '', sent.length, hash(sent)];
    }),
  );
});

test('every byte of a large output reaches a late reader', { timeout: 120_000 }, async () => {
  const bytes = randomBytes(3_000_000);
  serve(bytes);
  const run = (...words: string[]) =>
    runIntoLateReader(line(...words), program.directory, options());
  const copied = await run('cp', `${DESK}:m`, '-');
  expect([copied.code, hash(copied.stdout)]).toEqual([0, hash(bytes)]);
  const printed = await run('exec', DESK, 'cat', 'm');
  expect([printed.code, hash(printed.stdout)]).toEqual([0, hash(bytes)]);
});

/** Runs a command with a file as stdout. */
const runTo = (path: string, ...words: string[]) =>
  runInto(line(...words), openSync(path, 'w'), options());

test.runIf(process.platform === 'linux')('a full device is an error', async () => {
  serve(letters(70_000));
  const full = 'cannot write standard output: no space left on device';
  const message = `error: ${full}\n       free some space, or choose another directory\n`;
  const outcomes = await Promise.all([
    runTo('/dev/full', 'cp', `${DESK}:m`, '-'),
    runTo('/dev/full', 'project', '--help'),
    runTo('/dev/full', 'exec', DESK, 'cat', 'm'),
  ]);
  expect(outcomes).toEqual([1, 1, 125].map((code) => ({ code, stderr: message })));
});

test('a file gets every byte, and a file that takes only a part is an error', async () => {
  const bytes = letters(70_000);
  serve(bytes);
  const file = join(program.directory, 'copied');
  expect(await runTo(file, 'cp', `${DESK}:m`, '-')).toEqual({ code: 0, stderr: '' });
  expect(hash(readFileSync(file))).toBe(hash(bytes));
  // 64 KiB, of which the last write takes a part.
  const limited = `trap '' XFSZ; ulimit -f 128; exec "$@" > '${join(program.directory, 'part')}'`;
  const words = line('cp', `${DESK}:m`, '-');
  const child = execa('sh', ['-c', limited, 'sh', process.execPath, ...words], {
    ...options(),
    extendEnv: false,
    reject: false,
  });
  const { exitCode, stderr } = await child;
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/cannot write standard output: EFBIG/),
  ]);
});

test('a closed pipe ends the command quietly, with the code of SIGPIPE', async () => {
  serve(letters(70_000));
  const { reading, writing } = openPipe(program.directory);
  closeSync(reading);
  const ended = await runInto(line('exec', DESK, 'cat', 'm'), writing, options());
  expect(ended).toEqual({ code: 141, stderr: '' });
});
