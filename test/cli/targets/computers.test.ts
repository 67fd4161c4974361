import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { displayWidth } from '../../../src/cli/output/layout/fit-columns.js';
import { API_KEY, computer, openWorld, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const byName = '/projects/demo/computers/desktop';
const success = { success: true };

function lastRequest() {
  const last = world.service.received.at(-1);
  if (last === undefined) throw new Error('nothing was asked');
  return last;
}

test('a computer is addressed by project/name, by name with -p or VC_PROJECT, and by id', async () => {
  world.service.on(`POST ${byName}/move`, success);
  world.service.on(`POST /computers/${computer.id}/move`, success);
  const forms: [string[], Record<string, string>][] = [
    [['demo/desktop'], {}],
    [['desktop', '-p', 'demo'], {}],
    [['desktop'], { VC_PROJECT: 'demo' }],
    [[computer.id], {}],
  ];
  for (const [words, env] of forms) {
    const { code, stderr } = await world.run(['computer', 'move', ...words, '1', '2'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  }
  const urls = world.service.received.map(({ url }) => url);
  const named = `/api${byName}/move`;
  expect(urls).toEqual([named, named, named, `/api/computers/${computer.id}/move`]);
});

test('names are percent-encoded, slashes and dots included', async () => {
  await world.run(['computer', 'get', 'demo/a b/ü?%']);
  expect(lastRequest().url).toBe('/api/projects/demo/computers/a%20b%2F%C3%BC%3F%25');
  await world.run(['computer', 'get', '-p', 'demo', 'a/b']);
  expect(lastRequest().url).toBe('/api/projects/demo/computers/a%2Fb');
  await world.run(['computer', 'get', 'demo/..']);
  expect(lastRequest().url).toBe('/api/projects/demo/computers/%2E%2E');
});

test('an empty name is a usage error, and no request is sent', async () => {
  for (const name of ['', '/desktop', 'demo/']) {
    const { code, stderr } = await world.run(['computer', 'get', name]);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `error: "${name}" is not the name of a computer\n       write NAME or PROJECT/NAME\n`,
    );
  }
  expect(world.service.received).toEqual([]);
});

test('requests carry the key, and successful actions print nothing', async () => {
  world.service.on(`POST ${byName}/click`, success);
  const click = ['computer', 'click', 'demo/desktop', '640', '400'];
  const { code, stdout, stderr } = await world.run([...click, '--right', '--hold', 'ctrl']);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(lastRequest().headers.authorization).toBe(`Bearer ${API_KEY}`);
  expect(lastRequest().body).toEqual({ x: 640, y: 400, button: 'right', keys: ['ctrl'] });
  const json = await world.run([...click, '--json']);
  expect(json.stdout).toBe('{"success":true}\n');
});

test('actions send their options', async () => {
  const cases: [string[], string, unknown][] = [
    [['click', 'C', '0', '0', '--double'], 'click', { x: 0, y: 0, double: true }],
    [['click', 'C', '1', '2', '--clicks', '3'], 'click', { x: 1, y: 2, clicks: 3 }],
    [
      ['drag', 'C', '1', '2', '3', '4', '--duration', '0.2'],
      'drag',
      { start_x: 1, start_y: 2, end_x: 3, end_y: 4, duration: 0.2 },
    ],
    [
      ['scroll', 'C', 'down', '5', '--at', '10,20'],
      'scroll',
      { direction: 'down', amount: 5, x: 10, y: 20 },
    ],
    [['type', 'C', 'é Ж 中 👍'], 'type', { text: 'é Ж 中 👍' }],
    [['type', 'C', '--delay', '5', '--', '-v'], 'type', { text: '-v', delay_ms: 5 }],
    [['wait', 'C', '1.5'], 'wait', { duration: 1.5 }],
    [
      ['wait', 'C', '--stable', '--region', '1,2,3,4'],
      'wait',
      { until: 'stable', region: [1, 2, 3, 4] },
    ],
  ];
  for (const [words, operation, body] of cases) {
    world.service.on(`POST ${byName}/${operation}`, success);
    const argv = words.map((word) => (word === 'C' ? 'demo/desktop' : word));
    const { code, stderr } = await world.run(['computer', ...argv]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lastRequest().body).toEqual(body);
  }
});

test('type - reads stdin; keys are pressed in order', async () => {
  world.service.on(`POST ${byName}/type`, success);
  await world.run(['computer', 'type', 'demo/desktop', '-'], { stdin: 'a\nb ü\n' });
  expect(lastRequest().body).toEqual({ text: 'a\nb ü\n' });
  world.service.on(`POST ${byName}/key`, success);
  await world.run(['computer', 'key', 'demo/desktop', 'ctrl+a', 'ctrl+c']);
  const keys = world.service.received.slice(1).map(({ body }) => body);
  expect(keys).toEqual([{ key: 'ctrl+a' }, { key: 'ctrl+c' }]);
});

test('invalid values are usage errors, and no request is sent', async () => {
  const wrong = [
    ['click', 'demo/desktop', '-3', '4'],
    ['click', 'demo/desktop', 'x', '4'],
    ['click', 'demo/desktop', '1', '2', '--button', 'lft'],
    ['click', 'demo/desktop', '1', '2', '--right', '--middle'],
    ['scroll', 'demo/desktop', 'downward'],
    ['scroll', 'demo/desktop', 'down', '--at', '5'],
    ['wait', 'demo/desktop'],
    ['wait', 'demo/desktop', '3', '--stable'],
    ['create', 'demo/new', '--ram', '3'],
    ['create', 'demo/new', '--resolution', '10x10'],
    ['screenshot', 'demo/desktop', '-o', 'shot.bmp'],
    ['bash', 'demo/desktop', 'true', '-e', 'secret-without-name'],
    ['python', 'demo/desktop'],
  ];
  for (const words of wrong) {
    const { code, stdout, stderr } = await world.run(['computer', ...words]);
    expect(code, words.join(' ')).toBe(['bash', 'python'].includes(words[0] ?? '') ? 125 : 2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^error: .+\n {7}.+\n$/);
    expect(stderr).not.toContain('secret');
  }
  expect(world.service.received).toEqual([]);
});

test('create sends its options, prints the id with -q and the answer with --json', async () => {
  world.service.on('POST /projects/demo/computers', computer);
  const argv = [
    'computer',
    'create',
    'demo/desktop',
    '--cpu',
    '4',
    '--auto-stop',
    '30',
    '--no-wait',
  ];
  const quiet = await world.run([...argv, '-q']);
  expect(quiet).toMatchObject({ code: 0, stdout: `${computer.id}\n`, stderr: '' });
  expect(lastRequest()).toMatchObject({
    url: '/api/projects/demo/computers?wait=0',
    body: { name: 'desktop', cpu: 4, auto_stop_minutes: 30 },
  });
  const json = await world.run([...argv, '--json']);
  expect(JSON.parse(json.stdout)).toEqual(computer);
  expect(json.stderr).toBe('');
  const plain = await world.run(argv);
  expect(plain.stdout).toBe('');
  expect(plain.stderr).toContain('created demo/desktop');
});

test('ls is tab-separated and exact in a pipe, aligned and coloured on a terminal', async () => {
  world.service.on('GET /projects/demo/computers', { computers: [computer] });
  const piped = await world.run(['computer', 'ls', '-p', 'demo']);
  expect(piped.stdout).toMatchInlineSnapshot(`
    "NAME	STATUS	OS	CPU	RAM	ENGINE	CREATED	ID
    demo/desktop	running	linux	2	2 GB	docker	2025-01-02T03:01:05.000Z	cmp_0123456789abcdefghjk
    "
  `);
  const terminal = await world.run(['computer', 'ls', '-p', 'demo'], { terminal: true });
  expect(terminal.stdout).toContain('3 minutes ago');
  expect(terminal.stdout).toContain('\u001b[32mrunning\u001b[39m');
  const plain = await world.run(['computer', 'ls', '-p', 'demo'], {
    terminal: true,
    env: { NO_COLOR: '1' },
  });
  expect(plain.stdout).not.toContain('\u001b');
});

test('a narrow terminal truncates only names, and wide characters keep the columns aligned', async () => {
  const named = { ...computer, name: '中'.repeat(40) };
  world.service.on('GET /projects/demo/computers', { computers: [named, computer] });
  const options = { terminal: true, columns: 100, env: { NO_COLOR: '1' } };
  const { stdout } = await world.run(['computer', 'ls', '-p', 'demo'], options);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[1]).toContain('…');
  expect(lines[1]).toContain(computer.id);
});

test.each([
  [40, 'NAME STATUS'],
  [60, 'NAME STATUS OS CREATED'],
  [80, 'NAME STATUS OS CPU RAM ENGINE CREATED'],
  [120, 'NAME STATUS OS CPU RAM ENGINE CREATED ID'],
])('every line fits into %i columns with readable names', async (columns, headers) => {
  const names = [
    'a-name-that-goes-on-and-on-for-ever',
    '日本語のとても長い名前',
    '👍🏽 thumbs',
    'été',
  ];
  const many = Array.from({ length: 200 }, (_, n) => ({
    ...computer,
    name: `${names[n % 4]}${n}`,
    status: n % 3 === 0 ? 'stopping' : 'running',
  }));
  world.service.on('GET /projects/demo/computers', { computers: many });
  const options = { terminal: true, columns, env: { NO_COLOR: '1' } };
  const { stdout } = await world.run(['computer', 'ls', '-p', 'demo'], options);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(201);
  expect(lines[0]?.trim().split(/ +/).join(' ')).toBe(headers);
  for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(columns);
  const shown = lines
    .slice(1)
    .map((line) => displayWidth(line.split(/ (?:running|stopping)/)[0] ?? ''));
  expect(Math.min(...shown)).toBeGreaterThanOrEqual(24);
});

test('suggested commands are quoted and work without -p', async () => {
  world.service.on('POST /projects/demo/computers', { ...computer, name: 'my desk' });
  const created = await world.run(['computer', 'create', '-p', 'demo', 'my desk']);
  expect(created.stderr).toContain("to see its screen: vc screenshot 'demo/my desk'\n");
  world.service.on('POST /projects/default/computers', { ...computer, name: '--odd' });
  const odd = await world.run(['create', '--', '--odd']);
  expect(odd.stderr).toContain('to see its screen: vc screenshot -- --odd\n');
  world.service.on(`POST ${byName}/stream/start`, { success: true, status: 'streaming' });
  const argv = ['computer', 'stream', 'start', '-p', 'demo', 'desktop', '--connection', 'show'];
  const { stderr } = await world.run(argv);
  expect(stderr).toContain('to stop: vc computer stream stop demo/desktop\n');
});

test('ls without a project lists the computers of all projects', async () => {
  world.service.on('GET /computers', { computers: [computer], next_cursor: null });
  const { stdout } = await world.run(['computer', 'ls', '--json']);
  expect(JSON.parse(stdout)).toEqual({ computers: [computer] });
  expect((await world.run(['computer', 'list', '-q'])).stdout).toBe(`${computer.id}\n`);
});

test('control characters in names do not reach the terminal', async () => {
  const hostile = { ...computer, status: 'error', status_reason: 'a\u001b[2Jb\u202e' };
  world.service.on(`GET ${byName}`, hostile);
  const { stdout } = await world.run(['computer', 'get', 'demo/desktop'], { terminal: true });
  expect(stdout).not.toContain('\u001b[2J');
  expect(stdout).not.toContain('\u202e');
});

test('several names are processed in parallel, and the highest exit code is returned', async () => {
  world.service.on('POST /projects/demo/computers/a/stop', { ...computer, name: 'a' });
  world.service.fail(
    'POST /projects/demo/computers/b/stop',
    400,
    'conflict',
    'It is being deleted.',
  );
  const argv = ['computer', 'stop', '-p', 'demo', 'a', 'b', 'c'];
  const { code, stdout, stderr } = await world.run(argv);
  expect(code).toBe(6);
  expect(stdout).toBe('');
  expect(stderr).toContain('stopped demo/a\n');
  expect(stderr).toContain('error: b: It is being deleted.\n');
  expect(stderr).toContain('error: c: There is no');
  const json = await world.run([...argv, '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject([
    { name: 'a', answer: { name: 'a' } },
    { name: 'b', error: { code: 'conflict' } },
    { name: 'c', error: { code: 'not_found' } },
  ]);
  expect(json.stderr).toBe('');
});

test('rm without a terminal needs --yes and removes nothing without it', async () => {
  const refused = await world.run(['computer', 'rm', 'demo/desktop']);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('--yes');
  expect(world.service.received).toEqual([]);
  world.service.on(`DELETE ${byName}`, success);
  const removed = await world.run(['computer', 'delete', 'demo/desktop', '--yes']);
  expect(removed).toMatchObject({ code: 0, stderr: 'removed demo/desktop\n' });
});

test('rm on a terminal names what is removed and only accepts yes', async () => {
  world.service.on(`DELETE ${byName}`, success);
  world.service.on(`GET ${byName}`, computer);
  const deletions = () => world.service.received.filter(({ method }) => method === 'DELETE');
  const no = await world.run(['computer', 'rm', 'demo/desktop'], { terminal: true, stdin: '\n' });
  expect(no.code).toBe(1);
  expect(no.stderr).toContain('Permanently remove demo/desktop and all data on the disk? [y/N]');
  expect(deletions()).toEqual([]);
  const yes = await world.run(['computer', 'rm', 'demo/desktop'], { terminal: true, stdin: 'y\n' });
  expect(yes.code).toBe(0);
  expect(lastRequest().method).toBe('DELETE');
});

test('screenshot writes the format of the file extension, or bytes to a pipe', async () => {
  const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0xff, 0x00]);
  world.service.handle(`GET ${byName}/screenshot`, ({ headers }, response) => {
    response.writeHead(200, { 'content-type': headers.accept }).end(picture);
  });
  const shot = ['computer', 'screenshot', 'demo/desktop'];
  const jpeg = await world.run([...shot, '-o', 'a.jpg', '--scale', '0.5', '--region', '1,2,3,4']);
  expect(jpeg.code).toBe(0);
  expect(lastRequest().headers.accept).toBe('image/jpeg');
  expect(lastRequest().url).toContain('format=jpeg&scale=0.5&region=1%2C2%2C3%2C4');
  expect(await readFile(join(world.directory, 'a.jpg'))).toEqual(picture);
  expect((await world.run([...shot, '-o', '-'])).stdoutBytes).toEqual(picture);
  expect((await world.run(shot)).stdoutBytes).toEqual(picture);
  const named = await world.run(shot, { terminal: true });
  expect(named.stderr).toMatch(/wrote demo-desktop-20250102-\d{6}\.png/);
  expect((await world.run([...shot, '-o', 'no/such/a.png'])).stderr).toContain('no such directory');
});

test('screenshot --json prints the answer of the service', async () => {
  const answer = {
    success: true,
    image: 'AAAA',
    format: 'png',
    encoding: 'base64',
    width: 2,
    height: 1,
  };
  world.service.on(`GET ${byName}/screenshot`, answer);
  const { stdout } = await world.run(['computer', 'screenshot', 'demo/desktop', '--json']);
  expect(JSON.parse(stdout)).toEqual(answer);
});

test('bash --background prints the process id', async () => {
  const answer = { success: true, output: '', stdout: '', stderr: '', exit_code: null, pid: 42 };
  world.service.on(`POST ${byName}/bash`, { ...answer, timed_out: false, truncated: false });
  const { code, stdout } = await world.run([
    'computer',
    'bash',
    'demo/desktop',
    'x',
    '--background',
  ]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '42\n' });
});

test('wait --for polls until the status is reached, and fails with the computer', async () => {
  const states = ['starting', 'running'];
  world.service.handle(`GET ${byName}`, (_, response) => {
    response.end(JSON.stringify({ ...computer, status: states.shift() ?? 'error' }));
  });
  const argv = ['computer', 'wait', 'demo/desktop', '--for', 'running'];
  expect((await world.run(argv)).code).toBe(0);
  const failed = await world.run(argv);
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('failed: unknown reason');
});

describe('waiting until a computer is ready', () => {
  const path = '/projects/demo/computers/desktop';
  const starting = { ...computer, status: 'starting' };

  test('with --no-wait the service answers at once', async () => {
    world.service.on(`POST ${path}/start`, starting);
    const { code } = await world.run(['computer', 'start', 'demo/desktop', '--no-wait']);
    expect(code).toBe(0);
    expect(world.service.received.at(-1)?.url).toContain(`${path}/start?wait=0`);
  });

  test('polls if the service answers before the computer is ready', async () => {
    world.service.on('POST /projects/demo/computers', starting);
    world.service.on(`GET /computers/${computer.id}`, computer);
    const { code, stdout } = await world.run(['computer', 'create', 'demo/desktop', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).status).toBe('running');
  });

  test('--timeout ends the wait and reports the status', async () => {
    world.service.on(`POST ${path}/restart`, starting);
    world.service.on(`GET /computers/${computer.id}`, starting);
    const argv = ['computer', 'restart', 'demo/desktop', '--timeout', '0.1'];
    const { code, stderr } = await world.run(argv);
    expect(code).toBe(1);
    expect(stderr).toContain('is not running after 0.1 s; its status is starting');
  });
});

test('get prints the command that opens the screen: the address alone opens nothing', async () => {
  const url = 'http://h/api/view/cmp_1';
  world.service.on(`GET ${byName}`, { ...computer, url });
  const { stdout } = await world.run(['get', 'demo/desktop']);
  expect(stdout).toContain('view\tvc view demo/desktop\n');
  expect(stdout).not.toContain(url);
});

test('vc fork prints the copy', async () => {
  const copy = { ...computer, id: 'cmp_00000000000000000000', name: 'two', project_name: 'demo' };
  world.service.on(`POST ${byName}/fork`, copy);
  const { code, stdout, stderr } = await world.run(['computer', 'fork', 'demo/desktop', 'two']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toContain('copied demo/desktop to demo/two (cmp_00000000000000000000), running');
  expect(lastRequest().body).toEqual({ name: 'two' });
  const atOnce = ['computer', 'fork', 'demo/desktop', 'two', '--no-wait', '-q'];
  expect((await world.run(atOnce)).stdout).toBe('cmp_00000000000000000000\n');
  expect(lastRequest().url).toContain('?wait=0');
});

test('vc fork makes several copies, of a snapshot if there is no computer of the whole name', async () => {
  const copies = ['a', 'b'].map((name) => ({ ...computer, name, project_name: 'demo' }));
  world.service.fail(`GET ${byName}%40clean`, 404, 'not_found', 'There is none.');
  world.service.on(`POST ${byName}/fork`, { computers: copies });
  const { stderr } = await world.run(['fork', 'demo/desktop@clean', 'a', 'b']);
  expect(stderr).toContain('copied demo/desktop@clean to demo/b');
  expect(lastRequest().body).toEqual({ names: ['a', 'b'], snapshot: 'clean' });
  world.service.on(`GET ${byName}%40clean`, computer);
  world.service.on(`POST ${byName}%40clean/fork`, { ...computer, name: 'c' });
  await world.run(['fork', 'demo/desktop@clean', 'demo/c']);
  expect(lastRequest().body).toEqual({ name: 'c' });
});

test('vc reset takes a snapshot after an @, too', async () => {
  world.service.fail(`GET ${byName}%40clean`, 404, 'not_found', 'There is none.');
  world.service.on(`POST ${byName}/reset`, computer);
  const { stderr } = await world.run(['reset', 'demo/desktop@clean']);
  expect(stderr).toContain('reset demo/desktop to the snapshot clean');
  expect(lastRequest().body).toEqual({ snapshot: 'clean' });
});

test('vc wait ends with 124 when it was not over in time', async () => {
  const message = 'Not met within 10 s: port (last seen: nothing).';
  world.service.fail(`POST ${byName}/wait`, 500, 'guest_timeout', message);
  const { code, stderr } = await world.run(['wait', 'demo/desktop', '--port', '1']);
  expect({ code, stderr }).toMatchObject({ code: 124, stderr: expect.stringContaining('Not met') });
  world.service.on(`POST ${byName}/wait`, { changed: false });
  expect((await world.run(['wait', 'demo/desktop', '--change'])).code).toBe(124);
  world.service.on(`GET ${byName}`, computer);
  const stopped = ['wait', 'demo/desktop', '--for', 'stopped', '--timeout', '0.1s'];
  expect((await world.run(stopped)).code).toBe(124);
});

test('vc fork refuses a copy in another project, and says how to make it there', async () => {
  const { code, stderr } = await world.run(['fork', 'demo/desktop', 'lab/two']);
  expect(code).toBe(2);
  expect(stderr).toContain('vc image save demo/desktop IMAGE && vc create lab/two --image IMAGE');
});

test('vc fork and vc create fail if the new computer does', async () => {
  const copy = { ...computer, name: 'two', project_name: 'demo', status: 'error' };
  world.service.on(`POST ${byName}/fork`, { ...copy, status_reason: 'no memory' });
  world.service.on('POST /projects/demo/computers', { ...copy, status_reason: 'no memory' });
  for (const words of [
    ['fork', 'demo/desktop', 'two'],
    ['create', 'demo/two'],
    ['create', 'demo/two', '--no-wait'],
  ]) {
    expect(await world.run(words)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(
        'error: demo/two failed: no memory\n       restart it: vc restart demo/two\n',
      ),
    });
    // A script removes it by that.
    expect(await world.run([...words, '-q'])).toMatchObject({ code: 1, stdout: `${copy.id}\n` });
  }
});

test('vc create says how to read the output of a setup that failed', async () => {
  const reason = 'The setup failed with exit code 100: E: Unable to locate package x';
  const failed = { ...computer, name: 'two', project_name: 'demo', status: 'error' };
  world.service.on('POST /projects/demo/computers', { ...failed, status_reason: reason });
  const { stderr } = await world.run(['create', 'demo/two']);
  expect(stderr).toContain(
    `error: demo/two failed: ${reason}\n       read its output: vc start demo/two && vc logs demo/two setup\n`,
  );
});

test('vc fork waits longer than the service does, for as long as --timeout says', async () => {
  const copy = { ...computer, id: 'cmp_00000000000000000000', name: 'two', project_name: 'demo' };
  world.service.on(`POST ${byName}/fork`, { ...copy, status: 'starting' });
  world.service.on(`GET /computers/${copy.id}`, copy);
  const { stderr } = await world.run(['fork', 'demo/desktop', 'two', '--timeout', '5s']);
  expect(stderr).toContain('copied demo/desktop to demo/two (cmp_00000000000000000000), running');
});

test('the error of an operation that needs a shell says what to use instead', async () => {
  const why = 'This computer has no shell: its image was imported without an SSH server';
  world.service.onProcess((_, socket) => {
    const remedy = 'use its screen';
    socket.send(JSON.stringify({ type: 'error', code: 'unsupported', error: why, remedy }));
    socket.close();
  });
  for (const words of [
    ['bash', 'demo/desktop', 'true'],
    ['python', 'demo/desktop', '-c', '1'],
  ]) {
    const { code, stdout, stderr } = await world.run(['computer', ...words]);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toBe(`error: ${why}\n       use its screen\n`);
  }
});
