import { afterEach, beforeEach, expect, test } from 'vitest';
import { computer, openWorld, project, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
  world.service.on('GET /projects/demo', { ...project, computers: [computer] });
  world.service.on('GET /projects/demo/computers/desktop', { ...computer, protected: true });
  const key = { id: 'key_1', name: 'agent', created_at: project.created_at, last_used_at: null };
  const ofProject = {
    ...key,
    name: 'shop',
    id: 'key_2',
    project: { id: project.id, name: 'demo' },
  };
  world.service.on('GET /keys', { keys: [{ ...key, project: null }, ofProject] });
  world.service.on('GET /me', { key: { id: 'key_2', name: 'laptop' } });
  world.service.on('GET /connections', { connections: [{ name: 'show' }] });
  world.service.on('GET /volumes', { volumes: [{ name: 'data' }] });
});
afterEach(() => world.close());

test.each([
  [['computer', 'rm', 'demo/desktop'], 'would remove demo/desktop (running), but it is protected'],
  [
    ['project', 'rm', 'demo'],
    'would remove project demo with 1 computer (desktop) and all their data, and revoke 1 API key (shop)',
  ],
  [['key', 'rm', 'agent'], 'would remove key agent (key_1)'],
  [['connection', 'rm', 'show'], 'would remove connection show'],
  [['volume', 'rm', 'data'], 'would remove volume data'],
] as const)('vc %j --dry-run says what would go, and asks for no deletion', async (argv, line) => {
  const { code, stdout, stderr } = await world.run([...argv, '--dry-run']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toContain(line);
  expect(world.service.received.filter(({ method }) => method === 'DELETE')).toEqual([]);
});

test('vc profile rm --dry-run keeps the profile', async () => {
  const stdin = 'vc_key\n';
  await world.run(['profile', 'add', 'office', '--base-url', 'https://vc.example.com/api'], {
    stdin,
  });
  const { stderr } = await world.run(['profile', 'rm', 'office', '--dry-run']);
  expect(stderr).toBe('would remove profile office\n');
  expect((await world.run(['profile', 'ls', '-q'])).stdout).toBe('office\n');
});

test('--dry-run fails if the resource does not exist', async () => {
  expect((await world.run(['key', 'rm', 'nobody', '--dry-run'])).code).toBe(5);
  expect((await world.run(['connection', 'rm', 'nothing', '--dry-run'])).code).toBe(5);
  expect((await world.run(['computer', 'rm', 'demo/nothing', '--dry-run'])).code).toBe(5);
});

test('a protected computer fails before the confirmation', async () => {
  const argv = ['computer', 'rm', 'demo/desktop'];
  const { code, stderr } = await world.run(argv, { terminal: true, stdin: 'y\n' });
  expect(code).toBe(6);
  expect(stderr).not.toContain('[y/N]');
  expect(stderr).toContain('demo/desktop is protected');
  expect(stderr).toContain('vc computer update demo/desktop --unprotect');
  expect(world.service.received.filter(({ method }) => method === 'DELETE')).toEqual([]);
});

test('a connection is removed after confirmation', async () => {
  world.service.on('DELETE /connections/show', { success: true });
  const argv = ['connection', 'rm', 'show'];
  const unasked = await world.run(argv);
  expect(unasked).toMatchObject({ code: 2 });
  expect(unasked.stderr).toContain('confirm with --yes');
  const asked = await world.run(argv, { terminal: true, stdin: 'no\n' });
  expect(asked.stderr).toContain('Remove connection show? Its stream key cannot be shown again.');
  expect(asked.code).toBe(1);
  expect(world.service.received.filter(({ method }) => method === 'DELETE')).toEqual([]);
  expect((await world.run([...argv, '--yes'])).stderr).toBe('removed connection show\n');
});

test('vc computer update sends only the given settings', async () => {
  world.service.on('PATCH /projects/demo/computers/desktop', { ...computer, protected: true });
  const run = async (...options: string[]) => {
    const outcome = await world.run(['computer', 'update', 'demo/desktop', ...options]);
    return { code: outcome.code, body: world.service.received.at(-1)?.body };
  };
  expect(await run('--protect')).toEqual({ code: 0, body: { protected: true } });
  expect(await run('--unprotect')).toEqual({ code: 0, body: { protected: false } });
  expect(await run('--auto-stop', 'never')).toEqual({ code: 0, body: { auto_stop_minutes: null } });
  expect(await run('--name', 'other', '--auto-stop', '5')).toEqual({
    code: 0,
    body: { name: 'other', auto_stop_minutes: 5 },
  });
  expect(await run('--label', 'team=qa', '--label', 'stage-', '--on-idle', 'delete')).toEqual({
    code: 0,
    body: { labels: { team: 'qa', stage: null }, on_idle: 'delete' },
  });
  const expires_at = '2025-01-02T05:04:05.000Z';
  expect(await run('--expires', '2h')).toEqual({ code: 0, body: { expires_at } });
  expect(await run('--expires', 'never')).toEqual({ code: 0, body: { expires_at: null } });
  expect((await run()).code).toBe(2);
  expect((await run('--protect', '--unprotect')).code).toBe(2);
});

test('vc key rm names the keys that were made with it and still work', async () => {
  const name = 'agent';
  const keys = ['key_1', 'key_2'].map((id) => ({ id, name: id === 'key_1' ? name : 'spare' }));
  world.service.on('GET /keys', { keys });
  world.service.on('GET /me', { key: { id: 'key_9', name: 'laptop' } });
  const made = [...keys.slice(1), { id: 'key_3', name: 'deep' }];
  world.service.on('DELETE /keys/key_1', { success: true, made });
  world.service.on('DELETE /keys/key_2', { success: true, made: made.slice(1) });
  expect((await world.run(['key', 'rm', 'agent', '--yes'])).stderr).toBe(
    [
      'removed key agent',
      'keys that were made with it still work: spare (key_2) and deep (key_3)',
      'to remove these keys: vc key rm key_2 key_3',
      '',
    ].join('\n'),
  );
  const ofBob = { id: 'key_5', name: 'first', owner: 'bob' };
  world.service.on('DELETE /keys/key_1', { success: true, made: [ofBob] });
  expect((await world.run(['key', 'rm', 'agent', '--yes'])).stderr).toBe(
    [
      'removed key agent',
      'keys that were made with it still work: first (key_5, of bob)',
      'keys of other owners can be removed by their owner only, or with it: vc owner rm NAME',
      '',
    ].join('\n'),
  );
  world.service.on('DELETE /keys/key_1', { success: true, made });
  // Without those that are removed as well.
  const both = await world.run(['key', 'rm', 'agent', 'spare', '--yes']);
  expect(both.stderr).toContain('still work: deep (key_3)\n');
  const many = Array.from({ length: 7 }, (_, n) => ({ id: `key_m${n}`, name: `m${n}` }));
  world.service.on('DELETE /keys/key_1', { success: true, made: many });
  const { stderr } = await world.run(['key', 'rm', 'agent', '--yes']);
  expect(stderr).toContain('m4 (key_m4) and 2 more\n');
  expect(stderr).toContain('key_m4; see: vc key ls -o wide\n');
});

test('removing the key in use warns before and after', async () => {
  const me = { user_id: 'usr_1', name: 'owner', running: 0, max_running: 2 };
  world.service.on('GET /me', { ...me, key: { id: 'key_1', name: 'agent' } });
  world.service.on('DELETE /keys/key_1', { success: true, made: [] });
  const argv = ['key', 'rm', 'agent'];
  const dry = await world.run([...argv, '--dry-run']);
  expect(dry.stderr).toBe('would remove key agent (key_1), which this command uses\n');
  const asked = await world.run(argv, { terminal: true, stdin: 'n\n' });
  expect(asked.stderr).toContain('Remove key agent, which this command uses?');
  expect(asked.code).toBe(1);
  expect(world.service.received.filter(({ method }) => method === 'DELETE')).toEqual([]);
  const removed = await world.run([...argv, '--yes']);
  expect(removed.code).toBe(0);
  expect(removed.stderr).toBe(
    'removed key agent\nthis command used that key; to log in with another one: vc login\n',
  );
});

test('vc computer update changes several, but names one', async () => {
  for (const name of ['one', 'two']) {
    world.service.on(`PATCH /projects/demo/computers/${name}`, { ...computer, name });
  }
  const argv = ['computer', 'update', 'demo/one', 'demo/two'];
  const { code, stderr } = await world.run([...argv, '--label', 'team=ops']);
  expect({ code, lines: stderr.trim().split('\n').sort() }).toEqual({
    code: 0,
    lines: ['updated demo/one', 'updated demo/two'],
  });
  const changes = world.service.received.filter(({ method }) => method === 'PATCH');
  expect(changes.map(({ body }) => body)).toEqual([
    { labels: { team: 'ops' } },
    { labels: { team: 'ops' } },
  ]);
  expect(await world.run([...argv, '--name', 'x'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--name is for one computer'),
  });
});
