import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { Interrupts } from '../../../src/cli/framework/interrupts.js';
import { computer, openWorld, type World } from '../support/run.js';

const named = (name: string, project = 'demo', status = 'running') => ({
  ...{ ...computer, name, status, id: `cmp_${name.padEnd(20, '0')}` },
  project_name: project,
});
const send = (socket: WebSocket, stream: number, text: string | Buffer) =>
  socket.send(Buffer.concat([Buffer.of(stream), Buffer.from(text)]));
const finish = (socket: WebSocket, code: number, text: string) => {
  send(socket, 1, text);
  exit(socket, code);
};
const exit = (socket: WebSocket, code: number) => {
  socket.send(JSON.stringify({ type: 'exit', code, signal: null }));
  socket.close();
};

let world: World;
beforeEach(async () => {
  world = await openWorld();
  world.service.on('GET /computers', {
    computers: [named('desk'), named('agent'), named('off', 'demo', 'stopped')],
    next_cursor: null,
  });
});
afterEach(() => world.close());

/** What each computer does, by its name. */
const programs = (each: Readonly<Record<string, (socket: WebSocket) => void>>) =>
  world.service.onProcess((_, socket, url) => each[/cmp_([a-z]+)/.exec(url)?.[1] ?? '']?.(socket));

const selections: string[][] = [['-l', 'team=qa'], ['--all']];
test.each(selections)(
  'output with %j has the name of its computer on each line',
  async (...words) => {
    programs({
      desk: (socket) => {
        send(socket, 1, 'one\ntw');
        send(socket, 2, 'odd');
        send(socket, 1, 'o');
        exit(socket, 0);
      },
      agent: (socket) => {
        send(socket, 1, 'three\n');
        exit(socket, 0);
      },
    });
    const { code, stdout, stderr } = await world.run(['exec', ...words, 'ls', '--all']);
    expect(code).toBe(0);
    expect(stdout.split('\n').sort().slice(1)).toEqual([
      'agent | three',
      'desk  | one',
      'desk  | two',
    ]);
    expect(stderr).toBe('desk  | odd\n');
  },
);

test('what one computer prints is shown while the programs run', async () => {
  const interrupts = new Interrupts();
  programs({ desk: (socket) => send(socket, 1, 'begun\n'), agent: (socket) => exit(socket, 0) });
  const { code, stdout } = await world.run(['bash', '--all', 'tail -f log'], {
    interrupts,
    onStdout: (text) => text.includes('desk  | begun\n') && interrupts.trigger('SIGINT'),
  });
  expect({ code, stdout }).toEqual({ code: 130, stdout: 'desk  | begun\n' });
});

test('the others go on after a failure, and the highest exit code is returned', async () => {
  world.service.on('GET /computers', {
    computers: ['a', 'b', 'c', 'd'].map((name) => named(name, name === 'd' ? 'shop' : 'demo')),
    next_cursor: null,
  });
  programs({
    a: (socket) => exit(socket, 3),
    b: (socket) => {
      const error = { type: 'error', code: 'not_running', error: 'It is stopped.' };
      socket.send(JSON.stringify(error));
      socket.close();
    },
    c: (socket) => exit(socket, 7),
    d: (socket) => setTimeout(() => finish(socket, 0, 'late\n'), 50),
  });
  const { code, stdout, stderr } = await world.run(['exec', '--all', '--', 'x']);
  expect(code).toBe(125);
  expect(stdout).toBe('shop/d | late\n');
  expect(stderr.split('\n').sort()).toEqual([
    ...['', 'demo/a: exit code 3', 'demo/c: exit code 7', 'error: demo/b: It is stopped.'],
  ]);
});

test('--json has an object for each computer', async () => {
  programs({
    desk: (socket) => finish(socket, 4, 'one'),
    agent: (socket) => socket.terminate(),
  });
  const { code, stdout } = await world.run(['exec', '--all', '--json', '--', 'x']);
  expect(code).toBe(125);
  expect(JSON.parse(stdout)).toEqual([
    { name: 'demo/desk', answer: expect.objectContaining({ stdout: 'one', exit_code: 4 }) },
    { name: 'demo/agent', error: expect.objectContaining({ code: 'unreachable' }) },
  ]);
});

test('names have colours on a terminal', async () => {
  programs({
    desk: (socket) => finish(socket, 0, 'one\n'),
    agent: (socket) => finish(socket, 0, '\u001b[2J\n'),
  });
  const { stdout } = await world.run(['exec', '--all', '--safe', '--', 'x'], { terminal: true });
  expect(stdout).toContain('\u001b[36mdesk  |\u001b[39m one\n');
  expect(stdout).toContain('\u001b[33magent |\u001b[39m \ufffd[2J\n');
});

test.each([
  [['exec', '-t', '--all', 'top'], '--tty needs one computer'],
  [['exec', 'demo/desk', '--all', 'ls'], 'give either a computer, --label or --all'],
  [['bash', '--background', '--all', 'x'], '--background needs one computer'],
  [['bash', '--all', 'demo/desk', 'x'], 'give either a computer, --label or --all'],
])('%j is refused', async (argv, message) => {
  const { code, stderr } = await world.run(argv);
  expect(stderr).toContain(`error: ${message}`);
  expect(code).toBe(125);
  expect(world.service.received).toEqual([]);
});
