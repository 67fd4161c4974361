import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorld, project, type World } from '../../support/run.js';

const alice = {
  ...{ id: 'usr_2', name: 'alice', role: 'member', status: 'active', max_running: 5, running: 1 },
  ...{ max_storage: null, storage_bytes: 0 },
  ...{ project_count: 1, computer_count: 3, created_at: project.created_at, created_by: null },
};
const bob = { ...alice, id: 'usr_3', name: 'bob', project_count: 0, computer_count: 0 };

let world: World;
beforeEach(async () => {
  world = await openWorld();
  for (const owner of [alice, bob]) world.service.on(`GET /owners/${owner.name}`, owner);
});
afterEach(() => world.close());

const deletions = () =>
  world.service.received.filter(({ method }) => method === 'DELETE').map(({ url }) => url);

test('--dry-run says what would be deleted, and what needs --force', async () => {
  const dry = async (...options: string[]) =>
    (await world.run(['owner', 'rm', 'alice', 'bob', '--dry-run', ...options])).stderr;
  const what = 'would remove owner alice (usr_2) with 1 project, 3 computers and all their data';
  const lines = await dry();
  expect(lines).toContain(`${what}, but only with --force\n`);
  expect(lines).toContain('would remove owner bob (usr_3)\n');
  expect(await dry('--force')).toContain(`${what}\n`);
  expect((await world.run(['owner', 'rm', 'nobody', '--dry-run'])).code).toBe(5);
  expect(deletions()).toEqual([]);
});

test('an owner is removed after a confirmation that lists what will be deleted', async () => {
  world.service.on('DELETE /owners/alice', { success: true });
  const argv = ['owner', 'rm', 'alice', '--force'];
  expect(await world.run(argv)).toMatchObject({ code: 2 });
  const refused = await world.run(argv, { terminal: true, stdin: 'n\n' });
  expect(refused.stderr).toContain(
    'Permanently remove owner alice (usr_2) with 1 project, 3 computers and all their data?',
  );
  expect(deletions()).toEqual([]);
  expect((await world.run(argv, { terminal: true, stdin: 'y\n' })).code).toBe(0);
  expect(deletions()).toEqual(['/api/owners/alice?force=1']);
});

test('an owner with projects fails before the confirmation without --force', async () => {
  const argv = ['owner', 'rm', 'bob', 'alice'];
  const { code, stderr } = await world.run(argv, { terminal: true, stdin: 'y\n' });
  expect(code).toBe(6);
  expect(stderr).toContain('owner alice has 1 project and 3 computers');
  expect(stderr).not.toContain('[y/N]');
  expect(deletions()).toEqual([]);
});

test('without --force the service decides, and its remedy is shown', async () => {
  const message = 'The owner "alice" has 1 project with 3 computers.';
  const remedy = 'Delete them as well: vc owner rm alice --force';
  world.service.fail('DELETE /owners/alice', 400, 'conflict', message, remedy);
  const { code, stderr } = await world.run(['owner', 'rm', 'alice', '--yes']);
  expect(code).toBe(6);
  expect(stderr).toContain('vc owner rm alice --force');
  expect(deletions()).toEqual(['/api/owners/alice?force=0']);
});

test.each([
  ['owner', 'set', 'alice'],
  ['owner', 'set', 'alice', '--max-running', '0'],
  ['owner', 'set', 'alice', '--max-running', '10001'],
  ['owner', 'set', 'alice', '--max-running', 'many'],
  ['owner', 'create', 'alice', '--max-running', '1.5'],
  ['owner', 'create'],
  ['owner', 'get', ''],
  ['owner', 'key', 'alice', '--name', ''],
  ['owner', 'rm', '--yes'],
  ['audit', '--owner', ''],
])('vc %s %s %s %s %s is a usage error, and asks nothing', async (...argv) => {
  expect((await world.run(argv.filter((word) => word !== undefined))).code).toBe(2);
  expect(world.service.received).toEqual([]);
});

test('-q prints only the key, --json the whole owner', async () => {
  const key = { id: 'key_9', name: 'default', key: 'vc_new', created_at: project.created_at };
  world.service.on('POST /owners', { ...alice, key });
  expect(await world.run(['owner', 'create', 'alice', '-q'])).toMatchObject({
    ...{ stdout: 'vc_new\n', stderr: '' },
  });
  const { stdout } = await world.run(['owner', 'create', 'alice', '--jq', '.key.key, .id']);
  expect(stdout).toBe('vc_new\nusr_2\n');
});

test('vc audit --owner shows the audit log of that owner', async () => {
  world.service.on('GET /owners/alice/audit', { entries: [] });
  const { code } = await world.run(['audit', '--owner', 'alice', '--limit', '5']);
  expect(code).toBe(0);
  expect(world.service.received.map(({ url }) => url)).toEqual(['/api/owners/alice/audit?limit=5']);
});

test('vc whoami shows the role', async () => {
  world.service.on('GET /me', {
    ...{ user_id: 'usr_1', name: 'default', role: 'administrator', running: 0, max_running: 2 },
    key: { id: 'key_1', name: 'default' },
  });
  const { stdout } = await world.run(['whoami']);
  expect(stdout).toMatch(/^user\tdefault \(usr_1\)\nrole\tadministrator$/m);
});

test('vc whoami shows what the key may do', async () => {
  const key = {
    ...{ id: 'key_1', name: 'watcher', rights: 'look', project: { id: 'prj_1', name: 'shop' } },
    expires_at: '2027-01-31T00:00:00.000Z',
  };
  world.service.on('GET /me', { user_id: 'usr_1', name: 'default', role: 'member', key });
  const { stdout } = await world.run(['whoami']);
  expect(stdout).toMatch(/^rights\tlook in shop, until 2027-01-31T00:00:00\.000Z$/m);
});
