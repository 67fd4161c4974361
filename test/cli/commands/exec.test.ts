import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { Interrupts } from '../../../src/cli/framework/interrupts.js';
import { computer, openWorld, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const send = (socket: WebSocket, stream: number, text: string) =>
  socket.send(Buffer.concat([Buffer.of(stream), Buffer.from(text)]));
const exit = (socket: WebSocket, code: number | null, signal: string | null = null) => {
  socket.send(JSON.stringify({ type: 'exit', code, signal }));
  socket.close();
};

test('exec passes the arguments unchanged and returns the exit code of the program', async () => {
  let started: unknown;
  world.service.onProcess((start, socket) => {
    started = start;
    send(socket, 1, 'out\n');
    send(socket, 2, 'err\n');
    exit(socket, 7);
  });
  const argv = ['computer', 'exec', 'demo/desktop', '-e', 'A=b', '--', 'ls', '--json', '-p', '--'];
  const outcome = await world.run(argv);
  expect(outcome).toMatchObject({ code: 7, stdout: 'out\n', stderr: 'err\n' });
  expect(started).toEqual({ argv: ['ls', '--json', '-p', '--'], env: { A: 'b' } });
  expect(world.service.received[0]?.url).toBe('/api/projects/demo/computers/desktop/process');
});

test.each([
  [
    ['exec', 'demo/desktop', 'wc', '-l'],
    ['wc', '-l'],
  ],
  [
    ['computer', 'exec', '-e', 'A=b', 'demo/desktop', 'ls', '--json', '-p', 'x', '--no-color'],
    ['ls', '--json', '-p', 'x', '--no-color'],
  ],
  [
    ['exec', '-p', 'demo', 'desktop', 'git', 'log', '-p', '--', 'a', '-h'],
    ['git', 'log', '-p', '--', 'a', '-h'],
  ],
  [
    ['exec', 'demo/desktop', '--timeout', '5s', 'ls', '--help'],
    ['ls', '--help'],
  ],
  [
    ['exec', 'demo/desktop', '--', 'ls', '--', '-x'],
    ['ls', '--', '-x'],
  ],
])('%j passes all words after the program to it', async (argv, passed) => {
  let started: unknown;
  world.service.onProcess((start, socket) => {
    started = start;
    send(socket, 1, 'out\n');
    exit(socket, 0);
  });
  expect(await world.run(argv)).toMatchObject({ code: 0, stdout: 'out\n' });
  expect(started).toMatchObject({ argv: passed });
});

test('exec takes options of vc before the program', async () => {
  world.service.onProcess((_, socket) => exit(socket, 3));
  const { stdout } = await world.run(['exec', '--json', 'demo/desktop', 'ls', '-la']);
  expect(JSON.parse(stdout)).toMatchObject({ exit_code: 3 });
});

test('exec forwards stdin and its end', async () => {
  world.service.onProcess((_, socket) => {
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) send(socket, 1, data.subarray(1).toString().toUpperCase());
      else if (JSON.parse(data.toString()).type === 'stdin_end') exit(socket, 0);
    });
  });
  const outcome = await world.run(['computer', 'exec', 'demo/desktop', '--', 'tr'], {
    stdin: 'hello\n',
  });
  expect(outcome).toMatchObject({ code: 0, stdout: 'HELLO\n', stderr: '' });
});

test('a signal becomes 128 plus its number; an error of the service is reported', async () => {
  world.service.onProcess((_, socket) => exit(socket, null, 'TERM'));
  const argv = ['computer', 'exec', 'demo/desktop', '--', 'x'];
  expect((await world.run(argv)).code).toBe(143);
  world.service.onProcess((_, socket) => {
    socket.send(JSON.stringify({ type: 'error', code: 'not_running', error: 'It is stopped.' }));
    socket.close();
  });
  expect(await world.run(argv)).toMatchObject({
    code: 125,
    stderr: 'error: It is stopped.\n',
  });
});

test('a lost connection is an error', async () => {
  world.service.onProcess((_, socket) => socket.terminate());
  const outcome = await world.run(['computer', 'exec', 'demo/desktop', '--', 'x']);
  expect(outcome.code).toBe(125);
  expect(outcome.stderr).toContain('the connection was lost');
});

test('Ctrl-C interrupts the program, whose exit code is returned', async () => {
  const interrupts = new Interrupts();
  world.service.onProcess((_, socket) => {
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      const message = isBinary ? undefined : JSON.parse(data.toString());
      if (message?.type === 'signal') exit(socket, null, message.signal);
    });
    setTimeout(() => interrupts.trigger('SIGINT'), 50);
  });
  const outcome = await world.run(['computer', 'exec', '-n', 'demo/desktop', '--', 'x'], {
    interrupts,
  });
  expect(outcome.code).toBe(130);
});

test('a second Ctrl-C disconnects from a program that does not exit', async () => {
  const interrupts = new Interrupts();
  const left = new Promise((resolve) => {
    world.service.onProcess((_, socket) => {
      socket.once('close', resolve);
      setTimeout(() => interrupts.trigger('SIGINT'), 50);
      setTimeout(() => interrupts.trigger('SIGINT'), 100);
    });
  });
  const outcome = await world.run(['computer', 'exec', '-n', 'demo/desktop', '--', 'x'], {
    interrupts,
  });
  expect(outcome.code).toBe(130);
  await left;
});

test('large output is complete, and --json prints one document', async () => {
  const chunk = 'x'.repeat(65_536);
  world.service.onProcess((_, socket) => {
    for (let i = 0; i < 100; i += 1) send(socket, 1, chunk);
    exit(socket, 0);
  });
  const outcome = await world.run(['computer', 'exec', 'demo/desktop', '--json', '--', 'x']);
  const document = JSON.parse(outcome.stdout);
  expect(document).toMatchObject({ exit_code: 0, signal: null, stderr: '' });
  expect(document.stdout).toHaveLength(100 * 65_536);
});

test('exec with a second computer in place of the program says how to run in several', async () => {
  world.service.onProcess((_, socket) => exit(socket, 127));
  world.service.on('GET /projects/demo/computers/other', computer);
  const { code, stderr } = await world.run(['exec', 'demo/desktop', 'demo/other', 'ls']);
  expect(code).toBe(127);
  expect(stderr).toBe(
    'no such program, but demo/other is a computer: exec takes one; for several: vc exec -l LABEL=VALUE -- PROGRAM, or --all\n',
  );
});
