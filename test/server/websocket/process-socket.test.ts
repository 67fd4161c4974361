// @module-tag slow
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../../support/eventually.js';
import { type GuestApp, openGuestApp } from '../../support/guest-app.js';

let app: GuestApp;
beforeAll(async () => {
  app = await openGuestApp();
});
afterAll(() => app.close());

/** Sends the messages, and returns both outputs and the last event. */
async function talk(start: object, ...messages: (object | string)[]) {
  const url = `${app.baseUrl.replace('http', 'ws')}/projects/demo/computers/desktop/process`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${app.key}` } });
  const outputs = ['', '', ''];
  let event: Record<string, unknown> = {};
  const running = new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer, isBinary) => {
      resolve();
      if (isBinary) outputs[data[0] ?? 0] += data.subarray(1).toString();
      else event = JSON.parse(data.toString());
    });
  });
  await once(socket, 'open');
  socket.send(JSON.stringify(start));
  const closed = once(socket, 'close');
  for (const message of messages) {
    if (typeof message === 'string') {
      socket.send(Buffer.concat([Buffer.of(0), Buffer.from(message)]));
    } else {
      // A signal needs a running program.
      if ('signal' in message) await running;
      socket.send(JSON.stringify(message));
    }
  }
  await closed;
  const [, stdout, stderr] = outputs;
  return { stdout, stderr, event };
}

const end = { type: 'stdin_end' };

it('runs a program, a script or Python code, with input, directory and variables', async () => {
  const environment = { cwd: '/', env: { X: 'x' } };
  const script = 'pwd; echo "$X"; cat; exit 3';
  expect(await talk({ argv: ['sh', '-c', script], ...environment }, 'in', end)).toEqual({
    ...{ stdout: '/\nx\nin', stderr: '', event: { type: 'exit', code: 3, signal: null } },
  });
  expect(await talk({ command: script, ...environment }, 'in', end)).toEqual({
    ...{ stdout: '/\nx\nin', stderr: '', event: { type: 'exit', code: 3, signal: null } },
  });
  const code = 'import os\nprint(os.getcwd(), os.environ["X"], input())\nexit(3)';
  const ran = await talk({ code, ...environment }, 'in\n', end);
  expect(ran).toMatchObject({ stdout: '/ x in\n', stderr: '', event: { code: 3 } });
  expect(ran.event.error_type).toBe('SystemExit');
});

it('closes on a text message that is longer than any signal or size', async () => {
  const { event } = await talk({ argv: ['cat'] }, { ...end, more: 'x'.repeat(5_000) });
  expect(event).toMatchObject({ type: 'error', code: 'payload_too_large' });
});

it('reports an exception of Python code apart from standard error', async () => {
  const { event, stderr } = await talk({ code: '1 / 0' });
  expect(event).toMatchObject({ type: 'exit', code: 1, error_type: 'ZeroDivisionError' });
  expect(event.error).toContain('line 1');
  expect(stderr).toBe('');
});

it.each([
  [{ argv: ['sh', '-c', 'trap "" TERM; sleep 60'] }],
  [{ command: 'trap "" TERM; echo begun; sleep 60' }],
  [{ code: 'import time\nprint("begun")\ntime.sleep(60)' }],
])('ends %j at its time limit', async (start) => {
  // Python takes longer to start beside other work.
  const { event, stdout } = await talk({ ...start, timeout: 'code' in start ? 5 : 2 });
  expect(event).toMatchObject({ type: 'exit', code: null, timed_out: true });
  expect(stdout).toBe('argv' in start ? '' : 'begun\n');
});

it('ends what an interrupted script leaves running', async () => {
  const interrupt = { type: 'signal', signal: 'INT' };
  const { stdout, event } = await talk({ command: 'sleep 66 & echo $!; wait' }, interrupt);
  expect(event).toEqual({ type: 'exit', code: null, signal: 'SIGINT' });
  const pid = Number(stdout);
  expect(pid).toBeGreaterThan(1);
  await eventually(async () => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  });
});

it.each([
  [{}, 'argv must be the only one of argv, command and code'],
  [{ argv: ['x'], command: 'x' }, 'argv must be the only one of argv, command and code'],
  [{ command: 'x', code: 'x' }, 'argv must be the only one of argv, command and code'],
  [{ argv: [] }, 'argv must name a program'],
  [{ command: '' }, 'command must not be empty'],
  [{ command: 'a\0b' }, 'command must have no NUL'],
  [{ code: 7 }, 'code must be a string'],
  [{ command: 'x', timeout: 0 }, 'timeout must be a number from 0.1 to 86400 (seconds)'],
  [{ code: 'x', timeout: '9' }, 'timeout must be a number from 0.1 to 86400 (seconds)'],
  [{ code: 'x', terminal: { columns: 80, rows: 24 } }, 'terminal is possible only with argv'],
])('refuses to start %j', async (start, error) => {
  const { event } = await talk(start);
  expect(event).toMatchObject({ type: 'error', code: 'invalid_request' });
  expect(event.error).toContain(error);
});

it('refuses a message of more values than it checks', async () => {
  const { event } = await talk({ argv: ['x'], more: Array(400_001).fill(1) });
  expect(event).toMatchObject({ type: 'error', code: 'invalid_request' });
  expect(event.error).toBe('The message has more than 400000 values.');
});
