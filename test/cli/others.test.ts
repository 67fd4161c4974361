import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { API_KEY, computer, openWorld, project, type World } from './support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

test('vc project create, ls, get and rm', async () => {
  world.service.on('POST /projects', project);
  const created = await world.run(['project', 'create', 'demo']);
  expect(created).toMatchObject({ code: 0, stdout: '', stderr: 'created project demo\n' });
  expect((await world.run(['project', 'create', 'demo', '-q'])).stdout).toBe(`${project.id}\n`);
  world.service.on('GET /projects', { projects: [project] });
  expect((await world.run(['project', 'ls'])).stdout).toBe(
    `NAME\tCOMPUTERS\tCREATED\tID\tDEFAULT\ndemo\t1\t${project.created_at}\t${project.id}\t\n`,
  );
  const shown = { ...project, computers: [computer] };
  world.service.on('GET /projects/demo', shown);
  expect((await world.run(['project', 'get', 'demo'])).stdout).toContain('demo/desktop\trunning');
  const env = { VC_PROJECT: 'demo' };
  const json = await world.run(['project', 'get', '--json'], { env });
  expect(JSON.parse(json.stdout)).toEqual(shown);
  world.service.on('DELETE /projects/demo', { success: true });
  world.service.on('GET /keys', { keys: [{ name: 'laptop', project: null }] });
  const asked = await world.run(['project', 'rm', 'demo'], { terminal: true, stdin: 'yes\n' });
  expect(asked.stderr).toContain(
    'Permanently remove project demo with 1 computer (desktop) and all their data? [y/N]',
  );
  expect(asked.code).toBe(0);
  expect((await world.run(['project', 'rm', 'demo'])).code).toBe(2);
});

test('vc project start lists the started computers, and reports each that failed', async () => {
  const computers = [
    { id: 'cmp_a', name: 'a', status: 'running', changed: true },
    { id: 'cmp_b', name: 'b', status: 'stopped', changed: false, error: 'The limit is reached.' },
    { id: 'cmp_c', name: 'c', status: 'running', changed: false },
    { id: 'cmp_d', name: 'd', status: 'starting', changed: true },
  ];
  world.service.on('POST /projects/demo/start', { success: false, computers });
  const { code, stderr } = await world.run(['project', 'start', 'demo']);
  expect(code).toBe(1);
  expect(stderr).toBe(
    'started demo/a\nerror: demo/b: The limit is reached.\nstarted demo/d (starting)\n',
  );
});

test('vc project stop says if there was nothing to stop', async () => {
  const computers = [{ id: 'cmp_a', name: 'a', status: 'stopped', changed: false }];
  world.service.on('POST /projects/demo/stop', { success: true, computers });
  const { code, stderr } = await world.run(['project', 'stop', 'demo']);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'all computers of project demo were stopped already\n',
  });
});

test.each([
  [['project', 'ls'], 'GET /projects', { projects: [] }, 'vc project create NAME'],
  [['key', 'ls'], 'GET /keys', { keys: [] }, 'vc key create NAME'],
  [['connection', 'ls'], 'GET /connections', { connections: [] }, 'vc connection add NAME URL'],
  [['volume', 'ls'], 'GET /volumes', { volumes: [] }, 'vc volume create NAME'],
  [
    ['computer', 'ls', '-p', 'demo'],
    'GET /projects/demo/computers',
    { computers: [] },
    'vc create NAME',
  ],
  [
    ['job', 'ls', 'demo/desktop'],
    'GET /projects/demo/computers/desktop/jobs',
    { jobs: [] },
    'vc bash demo/desktop --background',
  ],
])('%j: an empty list is one line on stderr with the next command', async (...given) => {
  const [argv, route, answer, command] = given;
  world.service.on(route, answer);
  const { code, stdout, stderr } = await world.run(argv);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toMatch(/^no .+\n$/);
  expect(stderr).toContain(command);
  expect((await world.run([...argv, '-q'])).stderr).toBe('');
});

const base = 'GET /projects/demo/computers/desktop/jobs';
const job = (id: string, started_at: string) => ({
  ...{ id, started_at, ended_at: started_at, pid: 1, command: 'date', status: 'exited' },
  ...{ exit_code: 0, output: id, output_bytes: 5, next_offset: 5, truncated: false },
});

test('vc logs -n prints the last lines', async () => {
  const output = 'one\n\nthree\nfour\n';
  world.service.on(`${base}/job_1`, { ...job('job_1', '2026-01-01'), output });
  const last = async (...words: string[]) =>
    (await world.run(['logs', 'demo/desktop', 'job_1', ...words])).stdout;
  expect(await last('-n', '3')).toBe('\nthree\nfour\n');
  expect(await last('--lines', '9', '-f')).toBe(output);
  expect(await last('-n', '0')).toBe('');
  expect(JSON.parse(await last('-n', '1', '--json'))).toMatchObject({ output: 'four\n' });
});

test('vc logs -f says why a command has no exit code', async () => {
  world.service.on(`${base}/job_1`, { ...job('job_1', '2026-01-01'), exit_code: null });
  expect(await world.run(['logs', 'demo/desktop', 'job_1', '-f'])).toMatchObject({
    code: 1,
    stderr: 'the command ended without an exit code: the computer was stopped or restarted\n',
  });
});

test('vc logs without a job prints the output of the newest', async () => {
  const [old, latest] = [job('job_1', '2026-01-01'), job('job_2', '2026-01-02')];
  world.service.on(base, { jobs: [old, latest] });
  world.service.on(`${base}/job_2`, latest);
  expect(await world.run(['logs', 'demo/desktop'])).toMatchObject({ code: 0, stdout: 'job_2' });
  world.service.on(base, { jobs: [] });
  expect(await world.run(['logs', 'demo/desktop'])).toMatchObject({
    code: 5,
    stderr: [
      'error: demo/desktop has had no background commands',
      '       start one: vc bash demo/desktop --background SCRIPT\n',
    ].join('\n'),
  });
});

test.each([
  [['whoami', '-o', 'yaml'], 'base_url: '],
  [['profile', 'get', '-o', 'yaml'], 'api_key:\n'],
  [['audit', '-o', 'yaml'], 'entries: []'],
  [['history', 'demo/desktop', '-o', 'yaml'], 'actions: []'],
])('%j prints YAML, as other lists and records', async (argv, text) => {
  world.service.on('GET /me', { user_id: 'usr_1' });
  world.service.on('GET /audit', { entries: [] });
  world.service.on('GET /projects/demo/computers/desktop/actions', { actions: [] });
  expect(await world.run(argv)).toMatchObject({ code: 0, stdout: expect.stringContaining(text) });
});

test('vc whoami shows what is left of the budget of the key', async () => {
  const used = { computers: 2, hours: 0.5, actions: 7 };
  const key = { id: 'key_1', name: 'ci', rights: 'manage', project: null, expires_at: null };
  const limits = { max_computers: 2, max_hours: 10, max_actions: null };
  world.service.on('GET /me', { user_id: 'usr_1', key: { ...key, ...limits, used } });
  const { stdout } = await world.run(['whoami']);
  expect(stdout).toContain('budget\t2 of 2 computers, 0.5 of 10 hours\n');
});

test('vc key create prints the key, vc key ls does not', async () => {
  const created = {
    id: 'key_1',
    name: 'agent',
    rights: 'manage',
    created_at: project.created_at,
    last_used_at: null,
  };
  world.service.on('POST /keys', { ...created, key: 'vc_new' });
  const plain = await world.run(['key', 'create', 'agent']);
  expect(plain.stdout).toBe('vc_new\n');
  expect(plain.stderr).toContain(`\nvc login --profile NAME ${world.service.baseUrl}\n`);
  const json = await world.run(['key', 'create', 'agent', '--json']);
  expect(JSON.parse(json.stdout)).toEqual({ ...created, key: 'vc_new' });
  world.service.on('GET /keys', { keys: [created] });
  expect((await world.run(['key', 'ls'])).stdout).toContain('agent\tkey_1');
  world.service.on('DELETE /keys/key_1', { success: true, made: [] });
  world.service.on('GET /me', { key: { id: 'key_2', name: 'laptop' } });
  expect((await world.run(['key', 'rm', 'agent', '--yes'])).code).toBe(0);
  expect(world.service.received.at(-1)?.url).toBe('/api/keys/key_1');
});

test('vc key rm refuses an ambiguous name', async () => {
  const key = { name: 'agent', created_at: project.created_at, last_used_at: null };
  world.service.on('GET /keys', {
    keys: [
      { ...key, id: 'key_1' },
      { ...key, id: 'key_2' },
    ],
  });
  const { code, stderr } = await world.run(['key', 'rm', 'agent', '--yes']);
  expect(code).toBe(2);
  expect(stderr).toContain('key_1 or key_2');
  expect(world.service.received.map(({ method }) => method)).toEqual(['GET']);
});

test('vc profile add reads the key from stdin or from a prompt without echo', async () => {
  const add = ['profile', 'add', 'office', '--base-url', 'https://vc.example.com/api'];
  const piped = await world.run(add, { stdin: `${API_KEY}\n` });
  expect(piped.code).toBe(0);
  expect(piped.stdout + piped.stderr).not.toContain(API_KEY);
  const file = join(world.directory, 'config', 'config.json');
  expect(await readFile(file, 'utf8')).toContain(API_KEY);
  const typed = await world.run(add, { terminal: true, stdin: 'vc_typx\u007fed\r' });
  expect(typed.code).toBe(0);
  expect(typed.stdout + typed.stderr).not.toContain('vc_typ');
  expect(await readFile(file, 'utf8')).toContain('vc_typed');
  expect((await world.run(add, { stdin: '' })).code).toBe(2);
  const listed = await world.run(['profile', 'ls']);
  expect(listed.stdout).toBe(
    'CURRENT\tNAME\tBASE URL\tPROJECT\n*\toffice\thttps://vc.example.com/api\t\n',
  );
});

test('vc profile get shows the source of each value and never the key', async () => {
  const { stdout } = await world.run(['profile', 'get', '-p', 'demo', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    base_url: { value: world.service.baseUrl, source: 'environment', from: 'VC_BASE_URL' },
    api_key: { value: '********', source: 'environment', from: 'VC_API_KEY' },
    project: { value: 'demo', source: 'flag' },
  });
  const plain = await world.run(['profile', 'get']);
  expect(plain.stdout).toContain('(environment: VC_API_KEY)');
  expect(plain.stdout).not.toContain(API_KEY);
});

test('vc profile use and rm; an unknown profile ends with 5', async () => {
  const add = (name: string) =>
    world.run(['profile', 'add', name, '--base-url', 'https://vc.example.com/api'], { stdin: 'k' });
  await add('one');
  await add('two');
  expect((await world.run(['profile', 'use', 'two'])).code).toBe(0);
  const unknown = await world.run(['profile', 'use', 'three']);
  expect(unknown.code).toBe(5);
  expect(unknown.stderr).toContain('profiles: one, two');
  expect((await world.run(['profile', 'rm', 'one', 'two', '--yes'])).code).toBe(0);
  expect((await world.run(['profile', 'ls', '-q'])).stdout).toBe('');
});
