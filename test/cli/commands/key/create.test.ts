import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorld, type World } from '../../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const key = {
  ...{ id: 'key_0123456789abcdefghjk', name: 'watcher', prefix: 'vc_0123456', rights: 'look' },
  ...{ project: { id: 'prj_0123456789abcdefghjk', name: 'shop' }, created_by: 'laptop' },
  created_at: '2025-01-02T03:04:00.000Z',
  // 30 days after it was created, and a moment less from now.
  expires_at: '2025-02-01T03:04:00.000Z',
  last_used_at: null,
  ...{ max_computers: null, max_hours: null, max_actions: null },
  used: { computers: 0, hours: 0, actions: 0 },
};
const terminal = { terminal: true, env: { NO_COLOR: '1' } };

test('vc key create says what the key may do, where, and until when', async () => {
  world.service.on('POST /keys', { ...key, key: 'vc_new' });
  const argv = ['key', 'create', 'watcher', '--rights', 'look', '-p', 'shop', '--expires', '30d'];
  const inPipe = await world.run(argv);
  expect(inPipe.stdout).toBe('vc_new\n');
  expect(inPipe.stderr).toContain(
    'created key watcher (key_0123456789abcdefghjk): look in shop, expires at 2025-02-01T03:04:00.000Z\n',
  );
  const shown = (await world.run(argv, { ...terminal, columns: 120 })).stderr;
  expect(shown).toMatch(/look in shop, expires in 30 days \(2025-/);
  const all = { ...key, rights: 'manage', project: null, expires_at: null, key: 'vc_new' };
  world.service.on('POST /keys', all);
  const { stderr } = await world.run(['key', 'create', 'watcher']);
  expect(stderr).toContain('manage in all projects, never expires\n');
  world.service.on('POST /keys', { ...all, max_computers: 1, max_actions: 50 });
  expect((await world.run(['key', 'create', 'watcher', '--max-actions', '50'])).stderr).toContain(
    'never expires, at most 1 computer, at most 50 actions\n',
  );
});

test.each([120, 100, 80, 60])('vc key ls shows the expiry at %d columns', async (columns) => {
  const other = { ...key, name: 'a-rather-long-name-of-a-key', expires_at: null };
  world.service.on('GET /keys', { keys: [key, other] });
  const { stdout } = await world.run(['key', 'ls'], { ...terminal, columns });
  const [header, first, second] = stdout.split('\n');
  expect(header).toMatch(/^NAME .*RIGHTS +PROJECT +EXPIRES/);
  expect(first).toMatch(/^watcher .*look +shop +in 30 days/);
  expect(second).toMatch(/look +shop +never/);
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
});
