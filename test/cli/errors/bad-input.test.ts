import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Interrupts } from '../../../src/cli/framework/interrupts.js';
import { openWorld, type World } from '../support/run.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
  writeFileSync(join(world.directory, 'a.txt'), 'x');
});
afterAll(() => world.close());
beforeEach(() => {
  world.service.received.length = 0;
});

const desk = 'demo/desktop';

/** Words of a command line, and what its error has to say. */
const mistakes: readonly (readonly [argv: readonly string[], message: RegExp, code?: number])[] = [
  [['ls', '--sort', 'size'], /^error: --sort: must be name, .* not "size"/],
  [['ls', '--status', 'broken'], /--status: must be starting, /],
  [['ls', '-o', 'xml'], /--output: must be wide, json or yaml/],
  [['ls', '--watch=5'], /unknown option '--watch=5'/],
  [['stats', '--sort', 'x'], /--sort: must be name, cpu, memory or disk/],
  [['events', '--type', 'nonsense'], /--type: must be computer\.created, /],
  [['events', '--computer'], /argument missing/],
  [['try', desk, 'extra'], /too many arguments/],
  [['api'], /missing required argument/],
  [['api', 'GET'], /the path is missing/],
  [['api', '/x', '-F', 'novalue'], /--field: must be NAME=VALUE/],
  [['api', '/x', '-X', 'TRACE'], /--method: must be GET, /],
  [['api', '/x', '-H', 'bad'], /--header: must be "NAME: VALUE"/],
  [['api', '/x', '--input', 'none.json'], /cannot read none\.json/],
  [['api', '/x', '-F', 'a=@none'], /cannot read none/],
  [['api', 'http://example.com/x'], /is an address, not a path/],
  [['open', desk, 'javascript:alert(1)'], /URL: must be an http, https or file address/],
  [['open', desk, ''], /URL: must be/],
  [['clipboard', desk, 'steal'], /ACTION: must be get or set/],
  [['clipboard', desk, 'get', 'x'], /get takes no text/],
  [['alias', 'set', 'ls', 'x'], /there is a command vc ls/],
  [['alias', 'set', 'a b', 'ls'], /is not a name for an alias/],
  [['alias', 'set', 'loop', 'loop'], /vc loop is not a command/],
  [['alias', 'set', 'x', "ls 'unclosed"], /a quote in the command is not closed/],
  [['alias', 'rm', 'none'], /there is no alias "none"/, 5],
  [['service', 'logs', '-n', '-1'], /--lines: must be a whole number/],
  [['service', 'stop', '--timeout', 'x'], /--timeout: must be a duration/],
  [['service', 'restart', '--timeout', '-1'], /--timeout: must be a duration/],
  [['service', 'status', '--state', '/nonexistent'], /no service has been started/, 7],
  [['service', 'logs', '--state', '/nonexistent'], /no service has been started/, 7],
  [['service', 'stop', '--state', '/nonexistent'], /no service has been started/, 7],
  [['service', 'restart', '--state', '/nonexistent'], /no service has been started/, 7],
  [['cp', 'a.txt'], /the target is missing/],
  [['cp', ':x', 'b'], /no computer before the colon/],
  [['cp', '', `${desk}:`], /a path is empty/],
  [['cp', `${desk}:a`, ''], /a path is empty/],
  [['cp', 'none', `${desk}:`], /cannot read none/],
  [['cp', `${desk}:a`, 'demo/other:b', 'x'], /all sources must be in one computer/],
  [['cp', `${desk}:a`, 'a.txt', 'demo/other:'], /all sources must be in one computer/],
  [['wait', desk, '61s'], /DURATION: must be a duration from 0s to 60s/],
  [['wait', desk, '0x10'], /DURATION: must be/],
  [['wait', desk, ''], /DURATION: must be/],
  [['bash', desk, 'true', '--timeout', '2y'], /--timeout: must be a duration/, 125],
  [['bash', desk, 'x', '--env', 'novalue'], /--env: must be NAME=VALUE/, 125],
  [['python', desk, '-c'], /argument missing/, 125],
  [['exec', desk], /missing required argument/, 125],
  [
    ['create', desk, '--auto-stop', '1ms'],
    /--auto-stop: must be a duration from 1m to 365d, such as 30m, 2h or 1d, or never/,
  ],
  [['create', desk, '--cpu', '3'], /--cpu: must be 2, 4 or 8/],
  [['create', 'a/'], /is not the name of a computer/],
  [['click', desk, '1'], /POSITION: must be X Y or X,Y/],
  [['click', desk, '1,'], /POSITION: must be/],
  [['click', desk, '1,2,3'], /POSITION: must be/],
  [['click', desk, '-1', '2'], /POSITION: must be a number from 0/],
  [['drag', desk, '1', '2', '3'], /POSITIONS: must be X Y X Y/],
  [['scroll', desk, 'down', '0'], /AMOUNT: must be a whole number from 1 to 100/],
  [['record', desk, '-o', 'c.gif'], /unknown extension \.gif/],
  [['record', desk, '--for', '0'], /--for: must be a duration from 500ms/],
  [['rm', '--all', desk], /give either names or --all/],
  [['rm', '-l', 'team=qa', desk], /give either names or --label/],
  [['ls', '-l', ''], /--label: must be NAME=VALUE, or NAME for any value/],
  [['ls', '-l', 'a=b=c'], /--label: must be/],
  [['exec', '-l', 'team=qa'], /missing required argument 'command'/, 125],
  [['bash', '-l', 'team=qa', desk, 'true'], /give either a computer, --label or --all/, 125],
  [['bash', '-l', 'team=qa', 'true', '--background'], /--background needs one computer/, 125],
  [['create', desk, '--label', 'team'], /--label: must be NAME=VALUE, each at most 63/],
  [['create', desk, '--label', '=qa'], /--label: must be NAME=VALUE/],
  [['create', desk, '--expires', '0'], /--expires: must be a duration from 60s to 365d/],
  [['create', desk, '--on-idle', 'pause'], /--on-idle: must be stop or delete/],
  [['computer', 'update', desk, '--label', '-'], /--label: must be NAME=VALUE/],
  [['forward', desk, '70000:80'], /PORT: must be LOCAL:PORT/],
  [['vnc', desk, '--port', '70000'], /--port: must be a whole number from 0 to 65535/],
  [['owner', 'set', 'alice', '--max-running', '1.5'], /--max-running: must be a whole number/],
];

const refused = mistakes.map(([argv, message, code = 2]) => ({ argv, message, code }));

test.each(refused)('vc $argv is refused before any request', async ({ argv, message, code }) => {
  const before = readdirSync(world.directory).sort();
  const { stderr, ...outcome } = await world.run(argv);
  expect(outcome).toMatchObject({ code, stdout: '' });
  expect(stderr).toMatch(message);
  // One line, and one with the remedy.
  expect(stderr).toMatch(/^error: .+\n {7}.+\n$/);
  expect(world.service.received).toEqual([]);
  expect(readdirSync(world.directory).sort()).toEqual(before);
});

/** Commands that begin with an HTTP request. */
const commands: readonly (readonly string[])[] = [
  ...[['ls'], ['ls', '--watch'], ['stats', desk], ['stats', desk, '--watch'], ['events']],
  ...[
    ['try', desk],
    ['api', '/computers'],
    ['clipboard', desk],
    ['clipboard', desk, 'set', 'x'],
  ],
  ...[
    ['cp', `${desk}:a`, '.'],
    ['cp', 'a.txt', `${desk}:`],
    ['cp', `${desk}:a`, 'demo/other:'],
  ],
  ...[
    ['click', desk, '1,2'],
    ['wait', desk, '1s'],
    ['rm', desk, '--yes'],
    ['press', desk, 'a'],
  ],
  ...[
    ['logs', desk],
    ['record', desk, '-o', 'c.mp4', '--for', '1s'],
    ['project', 'use', 'demo'],
  ],
];
/** Commands that begin with a WebSocket, so with another request than those above. */
const programs: readonly (readonly string[])[] = [
  ['open', desk, 'example.com'],
  ['exec', desk, '--', 'true'],
  ['bash', desk, 'true'],
  ['python', desk, '-c', 'print(1)'],
  ['shell', desk],
];
/** `open` runs a program too, but its exit code is not that of the program. */
const codeOf = (argv: readonly string[], code: number) => (argv[0] === 'open' ? code : 125);

const untilInterrupted = ['ls --watch', `stats ${desk} --watch`, 'events'];

describe('a command whose service', () => {
  test.each(commands)('does not run says how to start it: vc %s %s %s', async (...argv) => {
    const env = { VC_BASE_URL: 'http://127.0.0.1:9/api' };
    const { code, stderr } = await world.run(argv.filter(Boolean), { env });
    expect(code).toBe(7);
    expect(stderr).toMatch(/^error: cannot reach .*\n {7}start it: vc serve --detach.*\n$/);
  });

  test.each(commands)('refuses the key says how to get another: vc %s %s %s', async (...argv) => {
    world.service.handleOthers((_, response) => {
      response.writeHead(401, { 'x-error-code': 'unauthorized' });
      response.end('{"error":"The API key is not valid."}');
    });
    const { code, stderr } = await world.run(argv.filter(Boolean));
    expect(code).toBe(4);
    expect(stderr).toMatch(/^error: The API key is not valid\.\n {7}.*vc login\n$/);
  });

  test.each(commands)('does not answer can be interrupted: vc %s %s %s', async (...argv) => {
    const interrupts = new Interrupts();
    world.service.handleOthers(() => interrupts.trigger('SIGINT'));
    const words = argv.filter(Boolean);
    const { code, stderr } = await world.run(words, { interrupts });
    if (untilInterrupted.includes(words.join(' ')))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    else
      expect({ code, stderr }).toEqual({
        code: 130,
        stderr: expect.stringMatching(/^error: interrupted\n( {7}.+\n)?$/),
      });
  });

  test('does not answer names its process', async () => {
    world.service.handleOthers(() => undefined);
    const runs = commands.map((argv) => world.run(argv, { checkAfterMs: 100 }));
    for (const { code, stderr } of await Promise.all(runs)) {
      expect(code).toBe(7);
      expect(stderr).toMatch(/^error: process \d+ listens on .* but does not answer\n {7}.+\n$/);
    }
  });
});

describe('a command that runs a program, whose service', () => {
  test.each(programs.map((argv) => ({ argv })))('does not run: vc $argv', async ({ argv }) => {
    const env = { VC_BASE_URL: 'http://127.0.0.1:9/api' };
    for (const terminal of [false, true]) {
      const { code, stdout, stderr } = await world.run(argv, { env, terminal });
      expect({ code, stdout }).toEqual({ code: codeOf(argv, 7), stdout: '' });
      expect(stripVTControlCharacters(stderr)).toMatch(
        /error: cannot reach .*\n {7}start it: vc serve --detach.*\n$/,
      );
    }
  });

  test.each(programs.map((argv) => ({ argv })))('refuses the key: vc $argv', async ({ argv }) => {
    const { code, stdout, stderr } = await world.run(argv, { env: { VC_API_KEY: 'vc_refused' } });
    expect({ code, stdout }).toEqual({ code: codeOf(argv, 4), stdout: '' });
    expect(stderr).toMatch(/^error: The API key is not valid\.\n {7}.*vc login\n$/);
  });

  test.each(programs.map((argv) => ({ argv })))(
    'hangs: vc $argv',
    async ({ argv }) => {
      const hanging = createServer(() => undefined);
      hanging.on('upgrade', () => undefined);
      await once(hanging.listen(0, '127.0.0.1'), 'listening');
      const { port } = hanging.address() as AddressInfo;
      const env = { VC_BASE_URL: `http://127.0.0.1:${port}/api` };
      const { code, stdout, stderr } = await world.run(argv, { env, checkAfterMs: 100 });
      hanging.closeAllConnections();
      hanging.close();
      expect({ code, stdout }).toEqual({ code: codeOf(argv, 7), stdout: '' });
      expect(stderr).toMatch(/^error: process \d+ listens on .* but does not answer\n {7}.+\n$/);
    },
    60_000,
  );
});
