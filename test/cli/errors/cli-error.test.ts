import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exitCodeOf } from '../../../src/cli/errors/exit-codes.js';
import { reportOf } from '../../../src/cli/errors/report.js';
import { Interrupts } from '../../../src/cli/framework/interrupts.js';
import { writeServiceRecord } from '../../../src/cli/service/record.js';
import { ServiceError } from '../../../src/client/errors.js';
import { errorFromFailure } from '../../../src/client/http/failures.js';
import { errorCatalogue } from '../../../src/contract/errors.js';
import { API_KEY, openWorld, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

test.each([
  [401, 'unauthorized', 4],
  [404, 'not_found', 5],
  [400, 'limit_reached', 6],
  [400, 'name_taken', 6],
  [400, 'invalid_request', 1],
  [503, 'engine_unavailable', 7],
  [500, 'internal', 1],
])('HTTP %i %s ends with %i, in two lines at most', async (status, code, exitCode) => {
  world.service.fail('GET /projects', status, code, 'It went wrong.');
  const outcome = await world.run(['project', 'ls']);
  expect(outcome.code).toBe(exitCode);
  expect(outcome.stdout).toBe('');
  expect(outcome.stderr).toMatch(/^error: It went wrong\.\n( {7}.+\n)?$/);
});

test('with --json the error is one JSON document on stderr', async () => {
  world.service.fail('GET /projects', 500, 'internal', 'It went wrong.', 'See the log.');
  const { code, stdout, stderr } = await world.run(['project', 'ls', '--json']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: 'internal',
      message: 'It went wrong.',
      hint: 'See the log.',
      request_id: 'req-1',
    },
  });
});

test('usage errors are JSON as well with --json', async () => {
  const { code, stderr } = await world.run(['computer', 'click', '--json']);
  expect(code).toBe(2);
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'usage' });
});

test('an unreachable service is reported with its address', async () => {
  const env = { VC_BASE_URL: 'http://127.0.0.1:1/api' };
  const { code, stderr } = await world.run(['project', 'ls'], { env });
  expect(code).toBe(7);
  expect(stderr).toContain('cannot reach the service at http://127.0.0.1:1/api: nothing listens');
  expect(stderr).toContain('vc serve');
});

test('the remedy for a service that has ended keeps its options', async () => {
  const url = 'http://127.0.0.1:1/api';
  const state = join(world.directory, 'state');
  await mkdir(state);
  await writeServiceRecord(state, {
    ...{ process: null, version: '1.2.3', url, started_at: '2025-01-02T02:04:05.000Z', log: null },
    ...{ argv: ['serve', '--engine', 'docker'], environment: {} },
  });
  const env = { VC_BASE_URL: url, VC_STATE_DIR: state };
  const { stderr } = await world.run(['project', 'ls'], { env });
  expect(stderr).toContain('\n       start it again: vc service restart\n');
  const other = { ...env, VC_BASE_URL: 'http://127.0.0.1:2/api' };
  expect((await world.run(['project', 'ls'], { env: other })).stderr).toContain(
    'start it: vc serve --detach --listen 127.0.0.1:2\n',
  );
});

test.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /certificate is not trusted/, /NODE_EXTRA_CA_CERTS/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /certificate is not trusted/, /NODE_EXTRA_CA_CERTS/],
  ['CERT_HAS_EXPIRED', /certificate has expired/, /renew/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /certificate is for another host/, /base URL/],
])('%s says what is wrong with the certificate, and no start of a service', (code, what, fix) => {
  const failure = Object.assign(new Error('x'), { code });
  const report = reportOf(errorFromFailure(failure, 'https://vc.example.com/api'));
  expect(report).toMatchObject({ code: 'unreachable', exitCode: 7 });
  expect(report.message).toMatch(what);
  expect(report.remedy).toMatch(fix);
});

test('a key that is not accepted may also have expired', () => {
  const baseUrl = 'https://vc.example.com/api';
  const error = new ServiceError('unauthorized', 'The API key is wrong.', { baseUrl });
  expect(reportOf(error).remedy).toContain('it is mistyped, was revoked, or has expired');
});

test.each([
  ['EACCES', 'mkdir', 'cannot create /data/vc: permission denied'],
  ['EROFS', 'open', 'cannot open /data/vc: read-only file system'],
  ['ENOSPC', 'rename', 'cannot rename /data/vc: no space left on device'],
])('a system error %s of %s names the path in words, with a remedy', (code, syscall, message) => {
  const raw = `${code}: something, ${syscall} '/data/vc'`;
  const report = reportOf(Object.assign(new Error(raw), { code, syscall, path: '/data/vc' }));
  expect(report).toMatchObject({ code: 'failure', exitCode: 1, message });
  expect(report.remedy).toBeDefined();
});

test('an unreachable service is reported before a missing key', async () => {
  const env = { VC_BASE_URL: 'http://127.0.0.1:1/api', VC_API_KEY: '' };
  expect((await world.run(['project', 'ls'], { env })).code).toBe(7);
});

test('another HTTP server is not mistaken for the service', async () => {
  world.service.handle('GET /projects', (_, response) => {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>');
  });
  expect((await world.run(['project', 'ls'])).stderr).toContain('check the base URL');
  world.service.handle('GET /projects', (_, response) => response.end('<h1>Hello</h1>'));
  expect((await world.run(['project', 'ls'])).code).toBe(7);
});

test('a missing key exits with 4 and names vc login', async () => {
  const env = { VC_API_KEY: '' };
  const { code, stderr } = await world.run(['project', 'ls'], { env });
  expect(code).toBe(4);
  expect(stderr).toContain(`set VC_API_KEY, or: vc login --base-url ${world.service.baseUrl}\n`);
});

test('no error shows the key', async () => {
  world.service.fail('GET /projects', 401, 'unauthorized', 'The API key is wrong.');
  const broken = `${API_KEY}\nX-Injected: 1`;
  for (const key of [API_KEY, broken]) {
    for (const base of [world.service.baseUrl, 'http://127.0.0.1:1/api', 'ftp://x', 'nonsense']) {
      const env = { VC_API_KEY: key, VC_BASE_URL: base };
      for (const flags of [[], ['--json']]) {
        const { code, stdout, stderr } = await world.run(['project', 'ls', ...flags], { env });
        expect(code).not.toBe(0);
        expect(stdout + stderr).not.toContain(API_KEY);
      }
    }
  }
});

test('the nearest command, option or value is suggested for a mistyped one', async () => {
  expect((await world.run(['compter', 'ls'])).stderr).toContain('Did you mean vc computer?');
  expect((await world.run(['computer', 'clik'])).stderr).toContain(
    'Did you mean vc computer click?',
  );
  const option = await world.run(['computer', 'click', 'a/b', '1', '2', '--buton', 'left']);
  expect(option.stderr).toContain('Did you mean --button?');
  expect(option.stderr).toContain('See: vc computer click --help');
  const choice = await world.run(['computer', 'click', 'a/b', '1', '2', '--button', 'rihgt']);
  expect(choice.stderr).toContain('did you mean right?');
  expect(choice.code).toBe(2);
});

test.each([
  [['warm', 'linux'], 'Did you mean vc image warm?'],
  [['computer', 'type', 'a/b', 'hello', 'world'], 'Quote an argument that contains spaces.'],
  [['exec', 'ls', '-la'], 'Options of the program come after it: vc exec COMPUTER ls -la.'],
  [['exec', 'b', '-l', 'team=qa', 'uptime'], 'vc exec -l team=qa -- uptime'],
  [['exec', '-d', 'b', 'ls'], "in the background: vc bash COMPUTER --background 'COMMAND'."],
  [
    ['bash', '-it', 'b', 'top'],
    'For a terminal: vc shell COMPUTER, or vc exec -t COMPUTER PROGRAM.',
  ],
  [['job', 'start', 'b'], "in the background: vc bash COMPUTER --background 'COMMAND'."],
  [['job', 'end', 'job_0mwss'], 'Write the computer before the job'],
  [['serve', '--port', '4755'], 'vc serve --listen 127.0.0.1:4700'],
  [['serve', '-p', '4755'], 'for a port: vc serve --listen 127.0.0.1:4700'],
  [['key', 'create', 'k', '--read-only'], '--rights look'],
  [['rm', 'desk', '-f'], '--yes'],
  [['ls', '--format', 'json'], '--json, --jq'],
  [['screenshot', 'desk', 'desk.png'], 'Name the file with -o'],
  [['shell', 'b', 'ls'], 'To run a program in this terminal: vc exec -t COMPUTER PROGRAM.'],
])('for %j the intended command is suggested', async (argv, remedy) => {
  const { code, stderr } = await world.run(argv);
  const isProgram = /^(bash|exec|shell)$/.test(argv[0] ?? '');
  expect(code).toBe(isProgram ? 125 : 2);
  expect(stderr.replaceAll(/\n +/g, ' ')).toContain(remedy);
});

test('the remedy of the service is printed below the message, and is the hint of --json', async () => {
  const remedy = 'start it: vc start demo/desktop';
  const message = 'The computer "a; b. Try: c" is stopped.';
  const click = ['computer', 'click', 'demo/desktop', '1', '1'];
  world.service.fail(
    'POST /projects/demo/computers/desktop/click',
    ...([400, 'not_running', message, remedy] as const),
  );
  expect(await world.run(click)).toMatchObject({
    code: 6,
    stdout: '',
    stderr: `error: ${message}\n       ${remedy}\n`,
  });
  const { stderr } = await world.run([...click, '--json']);
  expect(JSON.parse(stderr).error).toMatchObject({ message, hint: remedy });
});

test('each error of several names has its own remedy', async () => {
  world.service.fail('DELETE /connections/a', 404, 'not_found', 'No connection "a".', 'Mean "b"?');
  world.service.on('DELETE /connections/b', { success: true });
  const remove = ['connection', 'rm', 'a', 'b', '--yes'];
  const { code, stderr } = await world.run(remove);
  expect({ code, stderr }).toEqual({
    code: 5,
    stderr: expect.stringContaining('error: a: No connection "a".\n       Mean "b"?\n'),
  });
  const [first] = JSON.parse((await world.run([...remove, '--json'])).stdout);
  expect(first).toEqual({
    name: 'a',
    error: { code: 'not_found', message: 'No connection "a".', hint: 'Mean "b"?' },
  });
});

test.each([
  ['http://127.0.0.1:4700/api', 'vc image build linux'],
  ['http://[::1]:4700/api', 'vc image build linux'],
  ['https://vc.example.com/api', 'on the machine of the service: vc image build linux'],
])('a remedy for the host of %s says where to run it', (baseUrl, remedy) => {
  const options = { baseUrl, remedy: 'vc image build linux' };
  expect(reportOf(new ServiceError('image_missing', 'No image.', options)).remedy).toBe(remedy);
  const other = new ServiceError('not_running', 'It is stopped.', options);
  expect(reportOf(other).remedy).toBe('vc image build linux');
});

test('an error without a remedy refers to the help of the command', async () => {
  world.service.fail('POST /projects', 400, 'invalid_request', 'name must be a word; it is not.');
  expect((await world.run(['project', 'create', 'a b'])).stderr).toBe(
    'error: name must be a word; it is not.\n       see: vc project create --help\n',
  );
});

test.each([
  [
    ['computer', 'screenshot', 'demo/desktop', '-o', 'no/a.png'],
    'cannot write no/a.png: no such directory\n       create the directory first, or choose another path',
  ],
  [
    ['computer', 'run', 'demo/desktop', 'no.jsonl'],
    'cannot read no.jsonl: no such file or directory\n       check the path',
  ],
  [
    ['computer', 'cp', 'no.txt', 'demo/desktop:'],
    'cannot read no.txt: no such file or directory\n       check the path',
  ],
  [
    ['computer', 'python', 'demo/desktop', 'no.py'],
    'cannot read no.py: no such file or directory\n       check the path',
  ],
  [
    ['computer', 'python', 'demo/desktop', 'print(1)'],
    "cannot read print(1): no such file or directory\n       SCRIPT is a local file; to run code: vc python demo/desktop -c 'print(1)'",
  ],
  [
    ['backup', 'no/vc.backup'],
    '/no/vc.backup: no such directory\n       create the directory first, or choose another path',
  ],
  [
    ['computer', 'stream', 'demo/desktop', 'start'],
    'start, status or stop, before the computer\n       for example: vc computer stream start demo/desktop',
  ],
  [['computer', 'stream', 'stat', 'demo/desktop'], 'did you mean start?\n       see: vc computer'],
  [['computer', 'record', 'demo/desktop', '-o', ''], '--output: must not be empty\n       see: '],
  [
    ['restore', 'no.backup'],
    'cannot read no.backup: no such file or directory\n       check the path',
  ],
  [
    ['help', 'computer', 'clik'],
    'computer has no command "clik"\n       Did you mean vc computer click? See: ',
  ],
  [
    ['help', 'compter'],
    'command or topic "compter"\n       Did you mean vc computer? See: vc --help',
  ],
  [['computer', 'forward', 'demo/desktop', '80:80:80'], 'not 80:80:80\n       see: vc computer'],
  [['serve', '--listen', 'foo'], 'not "foo"\n       see: vc serve --help'],
  [['completion', 'tcsh'], 'not "tcsh"\n       see: vc completion --help'],
  [
    ['computer', 'create', 'demo/x', '--ram', '3'],
    'not "3"\n       see: vc computer create --help',
  ],
])('%j prints the error and a remedy', async (argv, expected) => {
  world.service.on('GET /projects/demo/computers/desktop/screenshot', { image: '', format: 'png' });
  world.service.fail(
    'GET /projects/demo/computers/desktop/entry',
    404,
    'not_found',
    'There is nothing.',
  );
  const { code, stdout, stderr } = await world.run(argv);
  expect(code).not.toBe(0);
  expect(stdout).toBe('');
  expect(stderr).toContain(expected);
  expect(stderr.trim().split('\n')).toHaveLength(2);
});

test('Ctrl-C ends the command at once with 130 and says that the service may continue', async () => {
  const interrupts = new Interrupts();
  world.service.handle('POST /projects/demo/computers', () => interrupts.trigger('SIGINT'));
  const { code, stderr } = await world.run(['computer', 'create', 'demo/x'], { interrupts });
  expect(code).toBe(130);
  expect(stderr).toContain('the service may still create it; see: vc get demo/x');
});

test('every error of the catalogue has a documented exit code', () => {
  for (const code of Object.keys(errorCatalogue) as (keyof typeof errorCatalogue)[]) {
    expect([1, 2, 4, 5, 6, 7]).toContain(exitCodeOf(code));
  }
  expect([exitCodeOf('forbidden'), exitCodeOf('controlled')]).toEqual([4, 6]);
});
