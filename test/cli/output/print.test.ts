import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { computer, openWorld, type World } from '../support/run.js';

/** Sets the title of a terminal, clears the screen and changes the direction of text. */
const HOSTILE = 'a\u001b]0;taken\u0007\u001b[2J\r\u009b1m\u202eb';
const SHOWN = 'a\ufffd]0;taken\ufffd\ufffd[2J\ufffd\ufffd1m\ufffdb';
const at = 'GET /projects/demo/computers/desktop';

let world: World;
beforeAll(async () => {
  world = await openWorld();
  const { service } = world;
  const key = { id: HOSTILE, name: 'ci', prefix: 'vc_ab', key: HOSTILE };
  service.on(at, computer);
  service.on('GET /me', { user_id: HOSTILE, name: 'a', key });
  service.on('GET /projects', { projects: [{ id: HOSTILE, name: 'demo', computer_count: 0 }] });
  service.on('POST /keys', key);
  service.on('POST /logins', { token: HOSTILE });
  service.on(`${at}/cursor`, { x: HOSTILE, y: 1 });
  service.on(`${at}/jobs`, { jobs: [{ id: HOSTILE, status: 'exited', command: 'make' }] });
  service.on(`${at.replace('GET', 'POST')}/browser`, { ws_url: `ws://${HOSTILE}` });
});
afterAll(() => world.close());

describe.each([
  [['whoami', '-q']],
  [['project', 'ls', '-q']],
  [['job', 'ls', 'demo/desktop', '-q']],
  [['key', 'create', 'ci']],
  [['dashboard', '--print']],
  [['computer', 'cursor', 'demo/desktop']],
  [['computer', 'cdp', 'demo/desktop']],
])('vc %j', (argv) => {
  test('prints no control character of an answer on a terminal', async () => {
    const { code, stdout } = await world.run(argv, { terminal: true });
    expect(code).toBe(0);
    expect(stdout).toContain(SHOWN);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  test('prints an answer unchanged in a pipe', async () => {
    expect((await world.run(argv)).stdout).toContain(HOSTILE);
  });
});

test('a configuration has its lines on a terminal too', async () => {
  const argv = ['mcp', '--config', 'cursor'];
  const { stdout } = await world.run(argv, { terminal: true });
  expect(JSON.parse(stdout)).toHaveProperty('mcpServers');
  expect((await world.run(argv)).stdout).toBe(stdout);
});
