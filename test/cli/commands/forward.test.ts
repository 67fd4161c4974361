// @module-tag slow
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Interrupts } from '../../../src/cli/framework/interrupts.js';
import { eventually } from '../../support/eventually.js';
import { computer, type Outcome, openWorld, type RunOptions, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

/** Runs `vc forward` until it is ready. */
async function forward(argv: readonly string[], options: RunOptions = {}): Promise<string> {
  const interrupts = new Interrupts();
  world.service.on('GET /projects/demo/computers/desktop', computer);
  const command = ['computer', 'forward', 'demo/desktop', ...argv];
  const { code, stdout } = await world.run(command, {
    ...options,
    interrupts,
    onStdout: () => interrupts.trigger('SIGINT'),
  });
  expect(code).toBe(0);
  return stdout;
}

test('prints a clickable URL on a terminal, and an address in a pipe', async () => {
  const to = / -> demo\/desktop port 80\n$/.source;
  expect(await forward(['0:80'], { terminal: true })).toMatch(
    new RegExp(`^http://127\\.0\\.0\\.1:\\d+${to}`),
  );
  expect(await forward(['0:80'])).toMatch(new RegExp(`^127\\.0\\.0\\.1:\\d+${to}`));
});

test('the URL of a port on all addresses has the address of this host', async () => {
  const argv = ['0:80', '--bind', '0.0.0.0'];
  expect(await forward(argv, { terminal: true })).toMatch(/^http:\/\/127\.0\.0\.1:/);
  expect(await forward(argv)).toMatch(/^0\.0\.0\.0:/);
});

/** Connects twice to an address, and ends when both connections are closed. */
const VISIT = `const [, host, port] = /^\\[?(.+?)\\]?:(\\d+)$/.exec(process.argv[1]);
for (let left = 2; left > 0; left -= 1) {
  require('node:net').connect(port, host).on('error', () => undefined).resume();
}`;

/** Runs `vc forward` and connects; `tunnels` is how often the service was asked for the port. */
async function visited(
  argv: readonly string[],
  user: { uid?: number; gid?: number } = {},
): Promise<Outcome & { tunnels: number }> {
  const interrupts = new Interrupts();
  const { service } = world;
  service.on('GET /projects/demo/computers/desktop', computer);
  const tunnels = () =>
    service.received.filter(({ url }) => url.includes('/tunnel?port=80')).length;
  const visit = async (address: string) => {
    let hasEnded = false;
    const options = { cwd: '/', timeout: 20_000, ...user };
    const program = promisify(execFile)(process.execPath, ['-e', VISIT, address], options);
    const ended = program.finally(() => {
      hasEnded = true;
    });
    await eventually(async () => hasEnded || tunnels() === 2);
    interrupts.trigger('SIGINT');
    await ended;
  };
  let visiting: Promise<void> | undefined;
  const outcome = await world.run(['-q', 'forward', 'demo/desktop', '0:80', ...argv], {
    interrupts,
    onStdout: (address) => {
      visiting ??= visit(address.trim());
    },
  });
  await visiting;
  return { ...outcome, tunnels: tunnels() };
}

test('programs of this user are connected', async () => {
  expect(await visited([])).toMatchObject({ code: 0, tunnels: 2, stderr: '' });
});

const asRoot = test.skipIf(process.platform !== 'linux' || process.geteuid?.() !== 0);
const other = { uid: 65_001, gid: 65_001 };

asRoot.each([[[]], [['--bind', '127.0.0.2']], [['--bind', '::ffff:127.0.0.1']]])(
  'programs of another user are refused with one message: %j',
  async (argv) => {
    const stderr = 'refused a connection of another user; to accept them: --any-user\n';
    expect(await visited(argv, other)).toMatchObject({ code: 0, tunnels: 0, stderr });
  },
);

asRoot.each([[['--any-user']], [['--bind', '0.0.0.0']]])(
  'programs of another user are connected with %j',
  async (argv) => {
    expect(await visited(argv, other)).toMatchObject({ code: 0, tunnels: 2, stderr: '' });
  },
);
