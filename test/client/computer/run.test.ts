// @module-tag slow
import { afterEach, beforeEach, expect, expectTypeOf, it } from 'vitest';
import {
  type BashResult,
  CommandError,
  type ComputerHandle,
  ServiceTimeoutError,
  VirtualComputers,
} from '../../../src/client/index.js';
import { type FakeService, startFakeService } from '../../cli/support/fake-service.js';

let service: FakeService;
let vc: VirtualComputers;
let desk: ComputerHandle;
beforeEach(async () => {
  service = await startFakeService();
  vc = new VirtualComputers({ baseUrl: service.baseUrl, apiKey: 'vc_key' });
  desk = vc.computer({ id: 'cmp_1' });
});
afterEach(async () => {
  await vc.close();
  await service.close();
});

const [STDOUT, STDERR] = [1, 2];
const starts: unknown[] = [];

/** A process that writes pieces to its outputs, then exits. */
function writes(pieces: readonly (readonly [number, Buffer | string])[], exit: object = {}): void {
  starts.length = 0;
  service.onProcess(async (start, socket) => {
    starts.push(start);
    for (const [stream, data] of pieces) {
      const message = Buffer.concat([Buffer.of(stream), Buffer.from(data)]);
      await new Promise((resolve) => socket.send(message, resolve));
    }
    socket.send(JSON.stringify({ type: 'exit', code: 0, signal: null, ...exit }));
    socket.close();
  });
}

it('run streams both outputs and resolves to all of them', async () => {
  const euro = Buffer.from('€');
  writes([
    [STDOUT, 'a'],
    [STDERR, 'b'],
    [STDOUT, euro.subarray(0, 1)],
    [STDOUT, euro.subarray(1)],
  ]);
  const seen: string[] = [];
  const result = await desk.run('make', {
    onStdout: (text) => seen.push(`out ${text}`),
    onStderr: (text) => seen.push(`err ${text}`),
    ...{ cwd: 'src', env: { A: '1' }, timeout: 5 },
  });
  expect(result).toEqual({
    ...{ exitCode: 0, signal: null, stdout: 'a€', stderr: 'b', timedOut: false, truncated: false },
  });
  const of = (name: string) =>
    seen.filter((one) => one.startsWith(name)).map((one) => one.slice(4));
  expect({ out: of('out').join(''), err: of('err').join('') }).toEqual({ out: 'a€', err: 'b' });
  expect(starts).toEqual([{ command: 'make', cwd: 'src', env: { A: '1' }, timeout: 5 }]);
  writes([]);
  await desk.run(['ls', '-l']);
  expect(starts).toEqual([{ argv: ['ls', '-l'] }]);
});

it('run resolves to a failure, and throws it with check', async () => {
  writes([[STDERR, 'oh no\n']], { code: 3 });
  expect(await desk.run('x')).toMatchObject({ exitCode: 3, stderr: 'oh no\n' });
  const failure = await desk.run('x', { check: true }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CommandError);
  expect(failure).toMatchObject({ message: 'the command exited with 3: oh no' });
  writes([], { code: null, signal: 'SIGKILL', timed_out: true });
  await expect(desk.run('x', { check: true })).rejects.toThrow('did not end in time');
});

it('an abort and timeoutMs end a command that runs', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  let closed = 0;
  service.onProcess((_, socket) => {
    socket.once('close', () => (closed += 1));
    controller.abort();
  });
  await expect(desk.run('sleep 9', { signal })).rejects.toMatchObject({ name: 'AbortError' });
  await expect.poll(() => closed).toBe(1);
  const late = await desk.run('sleep 9', { timeoutMs: 2000 }).catch((error: unknown) => error);
  expect(late).toBeInstanceOf(ServiceTimeoutError);
  expect(late).toMatchObject({
    ...{ name: 'ServiceTimeoutError', remedy: expect.stringContaining('timeout in seconds') },
    message: 'the command was ended: it took longer than timeoutMs (2000)',
  });
  await expect.poll(() => closed).toBe(2);
});

it('an error of a callback ends the command and is thrown', async () => {
  const closed = new Promise((resolve) => {
    service.onProcess((_, socket) => {
      socket.once('close', resolve);
      socket.send(Buffer.concat([Buffer.of(STDOUT), Buffer.from('a')]));
    });
  });
  const own = new Error('own');
  const onStdout = () => {
    throw own;
  };
  await expect(desk.run('yes', { onStdout })).rejects.toBe(own);
  await closed;
});

it('an output that nobody reads stops neither the other one nor the process', async () => {
  const piece = Buffer.alloc(1024 * 1024, 'x');
  const ten = (stream: number) => Array.from({ length: 10 }, () => [stream, piece] as const);
  writes([...ten(STDERR), ...ten(STDOUT)]);
  const remote = await desk.process({ argv: ['x'] });
  let bytes = 0;
  for await (const chunk of remote.stdout) bytes += chunk.length;
  expect(bytes).toBe(10 * piece.length);
  expect(await remote.exited).toMatchObject({ code: 0 });
  let late = 0;
  for await (const chunk of remote.stderr) late += chunk.length;
  expect(late).toBe(10 * piece.length);
  writes(ten(STDOUT));
  const unread = await desk.process({ argv: ['x'] });
  expect(await unread.exited).toMatchObject({ code: 0 });
});

it('follow yields the output of a job until it ends, and returns the job', async () => {
  const output = 'one two three';
  let known = 0;
  service.handle('GET /computers/cmp_1/jobs/job_1', ({ url }, response) => {
    const offset = Number(new URL(url, 'http://x').searchParams.get('offset'));
    known = Math.min(known + 4, output.length);
    const job = {
      ...{ id: 'job_1', status: known === output.length ? 'exited' : 'running', exit_code: 0 },
      ...{ output: output.slice(offset, known), output_bytes: known, next_offset: known },
    };
    response.end(JSON.stringify(job));
  });
  const pieces: string[] = [];
  const following = desk.jobs.follow('job_1');
  let step = await following.next();
  for (; !step.done; step = await following.next()) pieces.push(step.value);
  expect(pieces).toEqual(['one ', 'two ', 'thre', 'e']);
  expect(step.value).toMatchObject({ status: 'exited', exit_code: 0 });
  known = 0;
  const rest: string[] = [];
  for await (const text of desk.jobs.follow('job_1', { offset: 4 })) rest.push(text);
  expect(rest.join('')).toBe('two three');
  service.fail('GET /computers/cmp_1/jobs/job_1', 404, 'not_found', 'No job.');
  await expect(desk.jobs.follow('job_1').next()).rejects.toMatchObject({ code: 'not_found' });
});

it('the results of a batch have the types of its actions', async () => {
  const bash = { success: true, stdout: 'a', exit_code: 0 };
  service.on('POST /computers/cmp_1/batch', { success: true, results: [{ success: true }, bash] });
  const answer = await desk.batch([
    { action: 'click', x: 1, y: 2 },
    { action: 'bash', command: 'ls' },
  ]);
  if (!answer.success) throw new Error('the fake answers success');
  const [clicked, listed] = answer.results;
  expectTypeOf(listed).toEqualTypeOf<BashResult>();
  expectTypeOf(clicked.settled).toEqualTypeOf<boolean | undefined>();
  expect(listed.stdout).toBe('a');
});
