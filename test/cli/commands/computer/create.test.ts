import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { computer, openWorld, type World } from '../../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
  world.service.on('POST /projects/demo/computers', computer);
  world.service.on('PATCH /projects/demo/computers/desktop', computer);
});
afterEach(() => world.close());

const write = (name: string, text: string | Buffer, mode = 0o600) =>
  writeFileSync(join(world.directory, name), text, { mode });
const create = (...words: string[]) => world.run(['create', 'demo/desktop', ...words]);
const update = (...words: string[]) => world.run(['computer', 'update', 'demo/desktop', ...words]);
const body = () => world.service.received.at(-1)?.body;

it('sends variables, files and a setup of local files', async () => {
  write('.env', '# a comment\nA="from file"\nB=2\n');
  write('run', Buffer.from([0, 1, 2]), 0o755);
  write('setup.sh', 'exit 0\n');
  const { code } = await create(
    ...['--env-file', '.env', '--env', 'B=3=4', '--file', 'run:bin/run', '--setup', 'setup.sh'],
    '--no-sudo',
  );
  expect(code).toBe(0);
  expect(body()).toMatchObject({
    env: { A: 'from file', B: '3=4' },
    files: [{ path: 'bin/run', content_base64: 'AAEC', mode: '0755' }],
    setup: 'exit 0\n',
    sudo: false,
  });
});

it.each([
  [['none'], 'none'],
  [['internet'], 'internet'],
  [
    ['allow=example.com,10.0.0.0/8', 'allow=db.example.com:5432'],
    { allow: ['example.com', '10.0.0.0/8', 'db.example.com:5432'] },
  ],
  [['internet,rate=1mbit,delay=200ms'], { internet: true, rate: '1mbit', delay: '200ms' }],
  [
    ['allow=example.com,internet', 'rate=1mbit'],
    { allow: ['example.com', 'internet'], rate: '1mbit' },
  ],
] as const)('sends the network %j', async (given, network) => {
  const options = given.flatMap((one) => ['--network', one]);
  expect((await create(...options)).code).toBe(0);
  expect(body()).toMatchObject({ network });
  expect((await update(...options)).code).toBe(0);
  expect(body()).toEqual({ network });
});

it.each([
  [['all'], 'must be internet, none, or allow='],
  [['allow='], '"" must be a domain'],
  [['allow=example.com,::1'], '"::1" must be IPv4'],
  [['none', 'allow=example.com'], 'none and allow cannot be combined'],
  [['none,rate=1mbit'], 'none has nothing to throttle'],
  [['rate=1mbit'], 'needs internet or allow= before it: internet,rate=1mbit'],
  [['internet,rate=1'], 'rate must be from "8kbit" to "10gbit"'],
  [['internet,delay=1h'], 'delay must be from "1ms" to "10s"'],
] as const)('refuses the network %j', async (given, message) => {
  const { code, stderr } = await create(...given.flatMap((one) => ['--network', one]));
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it('sends nothing of what was not given', async () => {
  await create();
  expect(Object.keys(body() as object)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(env|files|setup|sudo|network)$/)]),
  );
});

it.each([
  [['--env', 'A'], 'must be NAME=VALUE'],
  [['--env-file', 'nowhere'], 'cannot read nowhere'],
  [['--file', 'no-colon'], 'must be LOCAL:REMOTE'],
  [['--file', 'large:x'], 'large: it is larger than 1 MiB'],
  [['--setup', 'nowhere.sh'], 'cannot read nowhere.sh'],
])('refuses %j', async (words, message) => {
  write('large', Buffer.alloc(1024 * 1024 + 1));
  const { code, stderr } = await create(...words);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(world.service.received).toEqual([]);
});

it.each([
  ['A=1\ngarbage\nB=2\n', '.env:2: must be NAME=VALUE'],
  ['A=1\n\n1B=2\n', '.env:3: must be NAME=VALUE'],
  ['SP ACE=3\n', '.env:1: must be NAME=VALUE'],
  ['A=x1B\n# 1B\n1B=2', '.env:3: must be NAME=VALUE'],
  ['A=1\ngarbage\n', '.env:2: must be NAME=VALUE'],
  ['A=1\ngarbage', '.env:2: must be NAME=VALUE'],
])('names the line of a file of variables that is wrong: %j', async (text, message) => {
  write('.env', text);
  const { code, stderr } = await create('--env-file', '.env');
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(world.service.received).toEqual([]);
});

it('update sets and removes variables', async () => {
  write('.env', 'A=1\nB=2\n');
  await update('--env-file', '.env', '--env', 'B-', '-e', 'C=x-');
  expect(body()).toEqual({ env: { A: '1', B: null, C: 'x-' } });
});
