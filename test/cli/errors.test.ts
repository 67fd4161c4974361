import { afterEach, beforeEach, expect, test } from 'vitest';
import { exitCodeOf } from '../../src/cli/exit-codes.js';
import { Interrupts } from '../../src/cli/interrupts.js';
import { errorCatalogue } from '../../src/contract/errors.js';
import { API_KEY, openWorld, type World } from './support/run.js';

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
  world.service.fail('GET /projects', 500, 'internal', 'It went wrong.');
  const { code, stdout, stderr } = await world.run(['project', 'ls', '--json']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: 'internal',
      message: 'It went wrong.',
      hint: "the service's log says more about request req-1",
      request_id: 'req-1',
    },
  });
});

test('usage errors are JSON as well when --json is there', async () => {
  const { code, stderr } = await world.run(['computer', 'click', '--json']);
  expect(code).toBe(2);
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'usage' });
});

test('a service that is not there is told apart, with its address', async () => {
  const env = { VC_BASE_URL: 'http://127.0.0.1:1/api' };
  const { code, stderr } = await world.run(['project', 'ls'], { env });
  expect(code).toBe(7);
  expect(stderr).toContain('cannot reach the service at http://127.0.0.1:1/api: nothing listens');
  expect(stderr).toContain('vc serve');
});

test('a service that is not there is told before a key that is not there', async () => {
  const env = { VC_BASE_URL: 'http://127.0.0.1:1/api', VC_API_KEY: '' };
  expect((await world.run(['project', 'ls'], { env })).code).toBe(7);
});

test('something else that answers is not taken for the service', async () => {
  world.service.handle('GET /projects', (_, response) => {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>');
  });
  expect((await world.run(['project', 'ls'])).stderr).toContain('is the base URL right?');
  world.service.handle('GET /projects', (_, response) => response.end('<h1>Hello</h1>'));
  expect((await world.run(['project', 'ls'])).code).toBe(7);
});

test('without a key the command ends with 4 and says where one comes from', async () => {
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

test('mistyped commands, options and values are named with the nearest', async () => {
  expect((await world.run(['compter', 'ls'])).stderr).toContain('Did you mean computer?');
  expect((await world.run(['computer', 'clik'])).stderr).toContain('Did you mean click?');
  const option = await world.run(['computer', 'click', 'a/b', '1', '2', '--buton', 'left']);
  expect(option.stderr).toContain('Did you mean --button?');
  expect(option.stderr).toContain('see: vc computer click --help');
  const choice = await world.run(['computer', 'click', 'a/b', '1', '2', '--button', 'rihgt']);
  expect(choice.stderr).toContain('did you mean right?');
  expect(choice.code).toBe(2);
});

test.each([
  [['screenshot', 'a/b'], 'Did you mean vc computer screenshot?'],
  [['ls'], 'Did you mean vc computer ls?'],
  [['warm', 'linux'], 'Did you mean vc image warm?'],
  [['computer', 'type', 'a/b', 'hello', 'world'], 'Put quotes around words that belong together.'],
  [['computer', 'exec', 'a/b', 'ls', '-la'], 'Put -- before a program with options of its own'],
])('what a newcomer may write, %j, is answered with what to write', async (argv, advice) => {
  const { code, stderr } = await world.run(argv);
  expect(code).toBe(2);
  expect(stderr).toContain(`\n       ${advice}`);
});

test.each([
  [
    'computer',
    ['computer', 'get', 'shop/dekstop'],
    'shop/dekstop',
    'shop/desktop',
    'vc computer ls -p shop',
  ],
  ['project', ['project', 'get', 'shpo'], 'shpo', 'shop', 'vc project ls'],
  ['connection', ['connection', 'rm', 'shwo', '--yes'], 'shwo', 'show', 'vc connection ls'],
  ['API key', ['key', 'rm', 'agnet', '--yes'], 'agnet', 'agent', 'vc key ls'],
] as const)(
  'a %s that is not there is named with the nearest',
  async (kind, argv, given, near, list) => {
    world.service.on('GET /projects', { projects: [{ name: 'shop' }, { name: 'other' }] });
    world.service.on('GET /projects/shop/computers', { computers: [{ name: 'desktop' }] });
    world.service.on('GET /connections', { connections: [{ name: 'show' }] });
    world.service.on('GET /keys', { keys: [{ id: 'key_1', name: 'agent' }] });
    world.service.handleOthers((_, response) => {
      response.writeHead(404, { 'x-error-code': 'not_found', 'x-request-id': 'r' });
      response.end(JSON.stringify({ error: `There is no ${kind} "${given}".` }));
    });
    const { code, stderr } = await world.run(argv);
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: `error: There is no ${kind} "${given}".\n       did you mean ${near}? see: ${list}\n`,
    });
    const several = await world.run([...argv, 'wholly-different']);
    if (argv[1] === 'rm') expect(several.stderr).toContain(`did you mean ${near}?`);
  },
);

test('what is not there and near nothing is told with the list to look at', async () => {
  world.service.on('GET /projects/shop/computers', { computers: [{ name: 'desktop' }] });
  world.service.fail(
    'GET /projects/shop/computers/x',
    404,
    'not_found',
    'There is no computer "shop/x".',
  );
  const { stderr } = await world.run(['computer', 'get', 'shop/x']);
  expect(stderr).toBe(
    'error: There is no computer "shop/x".\n       see: vc computer ls -p shop\n',
  );
});

const by = 'POST /projects/demo/computers/desktop';

test.each([
  [
    'a stopped computer',
    ['computer', 'click', 'demo/desktop', '1', '1'],
    [`${by}/click`, 400, 'not_running'],
    'The computer "desktop" is stopped; start it first: POST /computers/cmp_1/start.',
    'error: The computer "desktop" is stopped.\n       start it first: vc computer start demo/desktop\n',
  ],
  [
    'one that was named with -p, and not by a plain word',
    ['computer', 'click', '-p', 'demo', "it's", '1', '1'],
    ["POST /projects/demo/computers/it's/click", 400, 'not_running'],
    'The computer "it\'s" is stopped; start it first: POST /computers/cmp_1/start.',
    "       start it first: vc computer start 'demo/it'\\''s'\n",
  ],
  [
    'a point outside',
    ['computer', 'click', 'demo/desktop', '5000', '1'],
    [`${by}/click`, 400, 'off_screen'],
    'the point 5000,1 is outside the screen, which is 1280x800',
    'error: the point 5000,1 is outside the screen, which is 1280x800\n       see where things are: vc computer screenshot demo/desktop\n',
  ],
  [
    'a key that is not one',
    ['computer', 'key', 'demo/desktop', 'Entr'],
    [`${by}/key`, 400, 'unknown_key'],
    'no key is called "Entr"; did you mean "enter"?',
    'error: no key is called "Entr"\n       did you mean "enter"?\n',
  ],
  [
    'a protected computer',
    ['computer', 'rm', 'demo/desktop', '--yes'],
    ['DELETE /projects/demo/computers/desktop', 400, 'conflict'],
    'The computer "desktop" is protected; take the protection off first ("vc computer update --unprotect").',
    '       take the protection off first: vc computer update demo/desktop --unprotect\n',
  ],
  [
    'a stream that runs already',
    ['computer', 'stream', 'start', 'demo/desktop', '--connection', 'show'],
    [`${by}/stream/start`, 400, 'conflict'],
    'The computer "desktop" is being streamed already; stop that first: POST /computers/cmp_1/stream/stop.',
    '       stop that first: vc computer stream stop demo/desktop\n',
  ],
  [
    'a name with something like advice in it',
    ['computer', 'click', 'demo/desktop', '1', '1'],
    [`${by}/click`, 400, 'not_running'],
    'The computer "a; b" is stopped; start it first: POST /computers/cmp_1/start.',
    'error: The computer "a; b" is stopped.\n       start it first: vc computer start demo/desktop\n',
  ],
  [
    'a name with quotes and something like a remedy in it',
    ['computer', 'click', 'demo/desktop', '1', '1'],
    [`${by}/click`, 400, 'not_running'],
    'The computer "a\\"; b. Try: c" is stopped; start it first: POST /computers/cmp_1/start.',
    'error: The computer "a\\"; b. Try: c" is stopped.\n       start it first: vc computer start demo/desktop\n',
  ],
  [
    'a name that is taken',
    ['computer', 'create', 'demo/desktop'],
    ['POST /projects/demo/computers', 400, 'name_taken'],
    'The project "demo" has a computer named "desktop" already.',
    'has a computer named "desktop" already.\n       choose another name, or remove that one first\n',
  ],
  [
    'an engine that needs something',
    ['computer', 'create', 'demo/desktop'],
    ['POST /projects/demo/computers', 400, 'image_missing'],
    'QEMU has no image "x". Try: vc image ls',
    'error: QEMU has no image "x"\n       on the machine of the service: vc image ls\n',
  ],
  [
    'a wrong value, of which the service says nothing more',
    ['project', 'create', 'a b'],
    ['POST /projects', 400, 'invalid_request'],
    'name must be 1 to 64 letters; it is not.',
    'error: name must be 1 to 64 letters; it is not.\n       see: vc project create --help\n',
  ],
  [
    'a file that is not there',
    ['computer', 'cp', '-p', 'demo', 'my desk:no.txt', '.'],
    ['GET /projects/demo/computers/my%20desk/entry', 404, 'not_found'],
    'There is no "no.txt" in the computer.',
    "       see what is there: vc computer bash 'demo/my desk' 'ls -la'\n",
  ],
  [
    'a screen that does not do what is waited for',
    ['computer', 'wait', 'demo/desktop', '--change'],
    [`${by}/wait`, 500, 'guest_timeout'],
    'The screen did not change for 1 s.',
    'error: The screen did not change for 1 s.\n       wait longer with --timeout\n',
  ],
  [
    'a job that is not there',
    ['job', 'get', 'demo/desktop', 'job_1'],
    ['GET /projects/demo/computers/desktop/jobs/job_1', 404, 'not_found'],
    'This computer has no job "job_1".',
    'error: This computer has no job "job_1".\n       see: vc job ls demo/desktop\n',
  ],
] as const)(
  '%s is answered with what is wrong and the command that helps',
  async (_, argv, [route, status, code], said, shown) => {
    world.service.fail(route, status, code, said);
    const { stdout, stderr } = await world.run(argv);
    expect(stdout).toBe('');
    expect(stderr.endsWith(shown), stderr).toBe(true);
    const asJson = await world.run([...argv, '--json']);
    expect(JSON.parse(asJson.stderr).error.hint).toBe(stderr.trim().split('\n')[1]?.trim());
  },
);

test.each([
  [
    ['computer', 'screenshot', 'demo/desktop', '-o', 'no/a.png'],
    'cannot write no/a.png: the directory does not exist\n       make it first, or choose another',
  ],
  [
    ['computer', 'run', 'demo/desktop', 'no.jsonl'],
    'cannot read no.jsonl: it does not exist\n       check the path',
  ],
  [
    ['computer', 'cp', 'no.txt', 'demo/desktop:'],
    'cannot read no.txt: it does not exist\n       check the path',
  ],
  [
    ['computer', 'python', 'demo/desktop', 'no.py'],
    'cannot read no.py: it does not exist\n       check the path',
  ],
  [
    ['computer', 'python', 'demo/desktop', 'print(1)'],
    'cannot read print(1): it does not exist\n       SCRIPT is a file; to run code: -c CODE',
  ],
  [
    ['backup', 'no/vc.backup'],
    '/no/vc.backup: the directory does not exist\n       make it first, or choose another',
  ],
  [
    ['computer', 'stream', 'demo/desktop', 'start'],
    'start, status or stop, and stand before the computer\n       for example: vc computer stream start demo/desktop',
  ],
  [['computer', 'stream', 'stat', 'demo/desktop'], 'did you mean start?\n       see: vc computer'],
  [['computer', 'record', 'demo/desktop', '-o', ''], '--output: must not be empty\n       see: '],
  [['restore', 'no.backup'], 'cannot read no.backup: it does not exist\n       check the path'],
  [
    ['help', 'computer', 'clik'],
    'computer has no command "clik"\n       did you mean click? see: ',
  ],
  [['help', 'compter'], 'command or topic "compter"\n       did you mean computer? see: vc --help'],
  [['computer', 'forward', 'demo/desktop', '80:80:80'], 'not 80:80:80\n       see: vc computer'],
  [['serve', '--listen', 'foo'], 'not "foo"\n       see: vc serve --help'],
  [['completion', 'tcsh'], 'not "tcsh"\n       see: vc completion --help'],
  [
    ['computer', 'create', 'demo/x', '--ram', '3'],
    'not "3"\n       see: vc computer create --help',
  ],
])('%j is answered with what is wrong and what next', async (argv, expected) => {
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

test('Ctrl-C ends at once with 130 and says what goes on', async () => {
  const interrupts = new Interrupts();
  world.service.handle('POST /projects/demo/computers', () => interrupts.trigger('SIGINT'));
  const { code, stderr } = await world.run(['computer', 'create', 'demo/x'], { interrupts });
  expect(code).toBe(130);
  expect(stderr).toContain('the service goes on creating it; see: vc computer get demo/x');
});

test('every error of the catalogue has a documented exit code', () => {
  for (const code of Object.keys(errorCatalogue) as (keyof typeof errorCatalogue)[]) {
    expect([1, 2, 4, 5, 6, 7]).toContain(exitCodeOf(code));
  }
});
