import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { computer, openWorld, type RunOptions, type World } from '../../support/run.js';

const HOST_KEY = `ssh-ed25519 ${'A'.repeat(68)}`;
const PUBLIC_KEY = `ssh-ed25519 ${'B'.repeat(68)}`;
const ID_HOST = `${computer.id}.vc`;
const at = '/projects/demo/computers/desktop';

let world: World;
let programs: string;
let directory: string;

beforeEach(async () => {
  world = await openWorld();
  programs = join(world.directory, 'bin');
  directory = join(world.directory, 'config/ssh');
  mkdirSync(programs);
  mkdirSync(join(directory, 'identity'), { recursive: true });
  writeFileSync(join(directory, 'identity/id_ed25519.pub'), `${PUBLIC_KEY} vc\n`);
  writeFileSync(
    join(programs, 'ssh'),
    '#!/bin/sh\nprintf "%s\\n" "$@" >"$HOME/arguments"\nexit 9\n',
  );
  chmodSync(join(programs, 'ssh'), 0o755);
  world.service.on(`GET ${at}`, computer);
});
afterEach(() => world.close());

const run = (argv: readonly string[], options: RunOptions = {}) =>
  world.run(argv, { ...options, env: { PATH: `${programs}:/usr/bin:/bin`, ...options.env } });

/** The arguments that ssh got, without those that are the same for every host. */
const sshArguments = () => {
  const words = readFileSync(join(world.directory, 'arguments'), 'utf8').trimEnd().split('\n');
  const isFixed = (word: string) => /^-o(?!User=)[A-Z]\w+=/.test(word);
  return words.filter((word) => !isFixed(word));
};

describe('vc ssh', () => {
  test.each([
    ['ssh demo/desktop', [ID_HOST, '-oUser=user']],
    ['computer ssh desktop.demo.vc', [ID_HOST, '-oUser=user']],
    ['ssh demo/desktop uptime -p', [ID_HOST, '-oUser=user', '--', 'uptime', '-p']],
    ['ssh -p 22 -Av demo/desktop', ['-p', '22', '-Av', ID_HOST, '-oUser=user']],
    ['-p demo ssh -p 22 desktop', ['-p', '22', ID_HOST, '-oUser=user']],
    ['ssh --project demo -q desktop id', ['-q', ID_HOST, '-oUser=user', '--', 'id']],
    ['ssh me@demo/desktop', [`me@${ID_HOST}`, '-oUser=user']],
    ['ssh demo/desktop -- ls --json -h', [ID_HOST, '-oUser=user', '--', 'ls', '--json', '-h']],
    ['ssh -V', ['-V']],
  ])('vc %s gives its words to ssh, and returns its exit code', async (line, expected) => {
    expect(await run(line.split(' '))).toMatchObject({ code: 9, stderr: '' });
    expect(sshArguments()).toEqual(expected);
  });

  test('the connection, its key and the host key are those of this profile', async () => {
    await run(['--base-url', `${world.service.baseUrl}/`, 'ssh', 'demo/desktop']);
    const text = readFileSync(join(world.directory, 'arguments'), 'utf8');
    expect(text).toMatch(
      /^-oProxyCommand='env' 'VC_CONFIG_DIR=.*' '.*\/node' '.*\/bin\/vc\.js' '--base-url' 'http:.*\/api\/' 'ssh-proxy' '%n' '%r'$/m,
    );
    expect(text).toContain(`\n-oIdentityFile=${directory}/identity/id_ed25519\n`);
    expect(text).toContain(`\n-oUserKnownHostsFile=${directory}/hosts/%n\n`);
    expect(text).toContain('\n-oStrictHostKeyChecking=yes\n');
  });

  test('a configuration directory may have a space', async () => {
    const other = join(world.directory, 'con fig');
    cpSync(join(world.directory, 'config'), other, { recursive: true });
    await run(['ssh', 'demo/desktop'], { env: { VC_CONFIG_DIR: other } });
    const text = readFileSync(join(world.directory, 'arguments'), 'utf8');
    expect(text).toContain(`\n-oIdentityFile="${other}/ssh/identity/id_ed25519"\n`);
    expect(text).toContain(`'VC_CONFIG_DIR=${other}'`);
  });

  test.each([
    "x';y;'@demo/desktop",
    "-l x';y;' demo/desktop",
    "-oUser=x';y demo/desktop",
    '@demo/desktop',
  ])('a user is a name: %s', async (line) => {
    const outcome = await run(['ssh', ...line.split(' ')]);
    expect(outcome.stderr).toMatch(/error: USER: ".*" is no name of a user/);
    expect(world.service.received).toEqual([]);
  });

  test('an id of the service that is none is no word of ssh', async () => {
    const answer = { ...computer, id: '-oProxyCommand=x' };
    world.service.on('GET /projects/demo/computers/desktop', answer);
    const outcome = await run(['ssh', 'demo/desktop']);
    expect(outcome.stderr).toContain('answered an id that is none');
  });

  test('a name that ssh would refuse is given to it as an id', async () => {
    world.service.on('GET /projects/demo/computers/my%20%22desk%22', computer);
    expect(await run(['ssh', 'demo/my "desk"'])).toMatchObject({ code: 9, stderr: '' });
    expect(sshArguments()).toEqual([ID_HOST, '-oUser=user']);
  });

  test('without a computer it takes the only one', async () => {
    world.service.on('GET /computers', { computers: [computer], next_cursor: null });
    await run(['ssh']);
    expect(sshArguments()[0]).toBe(ID_HOST);
  });

  test.each([
    ['ssh --cwd /tmp demo/desktop', 125, /unknown option '--cwd'/],
    ['ssh me@', 125, /missing the computer after '@'/],
    ['ssh demo/none', 125, /There is no GET/],
    ['ssh --help', 0, /^$/],
  ])('vc %s does not start ssh', async (line, code, stderr) => {
    const outcome = await run(line.split(' '));
    expect(outcome).toMatchObject({ code, stderr: expect.stringMatching(stderr) });
    expect(sshArguments).toThrow('ENOENT');
  });

  test('without ssh it says what to install', async () => {
    rmSync(join(programs, 'ssh'));
    const { code, stderr } = await run(['ssh', 'demo/desktop'], { env: { PATH: programs } });
    expect(code).toBe(125);
    expect(stderr).toMatch(/no program ssh on this machine\n.*openssh-client/);
  });
});

describe('vc ssh-proxy', () => {
  /** What the computer sends, and how its SSH server ends. */
  const answers = (output: string, code = 0) => {
    const received: unknown[] = [];
    world.service.onProcess((start, socket: WebSocket) => {
      received.push(start);
      for (const part of output.match(/.{1,40}\n?/gs) ?? [])
        socket.send(`\u0001${part}`, { binary: true });
      socket.on('message', (data: Buffer, isBinary) => {
        if (isBinary) return void received.push(data.subarray(1).toString());
        socket.send(JSON.stringify({ type: 'exit', code, signal: null }));
      });
    });
    return received;
  };
  const proxy = (host: string, user = 'user', stdin = '') =>
    run(['ssh-proxy', host, user], { stdin });
  const hostKey = (host: string) => readFileSync(join(directory, 'hosts', host), 'utf8');

  test('joins ssh with the server in the computer, and writes its host key', async () => {
    const received = answers(`vc-ssh user ${HOST_KEY}\nSSH-2.0-OpenSSH\r\nmore\n`);
    const outcome = await proxy('desktop.demo.vc', 'user', 'SSH-2.0-client\r\n');
    expect(outcome).toMatchObject({ code: 0, stdout: 'SSH-2.0-OpenSSH\r\nmore\n', stderr: '' });
    expect(received).toEqual([
      { argv: ['sh', '-c', expect.stringContaining('-i'), 'sh', PUBLIC_KEY] },
      'SSH-2.0-client\r\n',
    ]);
    expect(hostKey('desktop.demo.vc')).toBe(`* ${HOST_KEY}\n`);
  });

  test.each([
    ['another user', 'root', `vc-ssh user ${HOST_KEY}\nSSH-2.0\n`, /is user, not root\n.*user@/],
    ['no greeting', 'user', 'Welcome to example.com\nSSH-2.0\n', /started no SSH server/],
    ['no output', 'user', '', /started no SSH server/],
    ['no line', 'user', 'x'.repeat(5000), /started no SSH server/],
    ['more in the line', 'user', `vc-ssh user ${HOST_KEY} *\nSSH\n`, /started no SSH server/],
    ['another host', 'user', `vc-ssh user ${HOST_KEY}\r*\nSSH\n`, /started no SSH server/],
  ])('%s: ssh gets no byte, and no host key is written', async (_, user, output, stderr) => {
    answers(output);
    const outcome = await proxy('desktop.demo.vc', user);
    expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(stderr) });
    expect(() => hostKey('desktop.demo.vc')).toThrow('ENOENT');
  });

  test('a host that is no computer is refused before a request', async () => {
    expect(await proxy('../desktop.vc')).toMatchObject({ code: 2, stdout: '' });
    expect(world.service.received).toEqual([]);
  });

  test('an error of the service is on stderr, which ssh shows', async () => {
    world.service.onProcess((_, socket) => {
      const error = { type: 'error', code: 'not_running', error: 'The computer is stopped.' };
      socket.send(JSON.stringify(error));
    });
    const { code, stdout, stderr } = await proxy('desktop.demo.vc');
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toContain('The computer is stopped.');
  });
});
