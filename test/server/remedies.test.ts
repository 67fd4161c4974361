import { afterEach, beforeEach, expect, it } from 'vitest';
import { decodeRemedy } from '../../src/contract/errors.js';
import { openTestApp, type TestApp } from '../support/app.js';

let app: TestApp;

beforeEach(async () => {
  app = await openTestApp({ maxRunning: 1 });
  await app.send('POST', '/api/projects', { body: { name: 'shop' } });
  await app.send('POST', '/api/projects/shop/computers', { body: { name: "it's" } });
});
afterEach(() => app.close());

const computer = "/api/projects/shop/computers/it's";

async function remedyOf(
  method: string,
  path: string,
  body?: unknown,
  authorization?: string,
): Promise<string | undefined> {
  const answer = await app.send(method, path, {
    ...(body === undefined ? {} : { body }),
    ...(authorization === undefined ? {} : { authorization }),
  });
  expect(Object.keys(answer.json)).toEqual(['error']);
  return decodeRemedy(String(answer.headers['x-error-remedy']));
}

it('the remedy for a missing name has the nearest name of the same owner, and the command that lists them', async () => {
  const connection = { name: 'target', url: 'rtmp://8.8.8.8/live', stream_key: 'secret' };
  await app.send('POST', '/api/connections', { body: connection });
  for (const [method, path, remedy] of [
    ['GET', '/api/projects/shpo', 'Did you mean "shop"? See: vc project ls'],
    ['GET', '/api/projects/unlike', 'See: vc project ls'],
    ['GET', '/api/projects/shop/computers/its', 'Did you mean "it\'s"? See: vc ls -p shop'],
    ['GET', '/api/projects/shop/computers/unlike', 'See: vc ls -p shop'],
    ['GET', "/api/projects/shpo/computers/it's", 'Did you mean "shop/it\'s"? See: vc project ls'],
    ['GET', '/api/computers/cmp_1', 'See: vc ls --all'],
    ['DELETE', '/api/connections/tagret', 'Did you mean "target"? See: vc connection ls'],
    ['DELETE', '/api/keys/defualt', 'Did you mean "default"? See: vc key ls'],
  ] as const) {
    expect(await remedyOf(method, path), path).toBe(remedy);
  }
});

it("another owner's names are never suggested", async () => {
  const otherOwner = `Bearer ${app.world.addOwner('stranger')}`;
  for (const [path, list] of [
    ['/api/projects/shpo', 'vc project ls'],
    ['/api/projects/shop/computers/its', 'vc project ls'],
  ]) {
    expect(await remedyOf('GET', String(path), undefined, otherOwner)).toBe(`See: ${list}`);
  }
});

it("another owner's computer is answered exactly as a missing one, headers included", async () => {
  const { id } = (await app.send('GET', computer)).json as { id: string };
  const authorization = `Bearer ${app.world.addOwner('stranger')}`;
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['DELETE', '', undefined],
    ['PATCH', '', { name: 'x' }],
    ['POST', '/click', { x: 1, y: 1 }],
    ['POST', '/bash', { command: 'ls' }],
    ['POST', '/fork', { name: 'x' }],
    ['GET', '/jobs/1', undefined],
    ['GET', '/files?path=/x', undefined],
  ] as const) {
    const answerOf = async (which: string) => {
      const sent = body === undefined ? { authorization } : { authorization, body };
      const answer = await app.send(method, `/api/computers/${which}${path}`, sent);
      const { 'x-request-id': _, date: __, ...headers } = answer.headers;
      return JSON.stringify([answer.status, headers, answer.json]).replaceAll(which, 'ID');
    };
    const missing = id.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    const foreign = await answerOf(id);
    expect(foreign).toMatch(/^\[404/);
    expect(foreign, `${method} ${path}`).toBe(await answerOf(missing));
  }
});

it('a remedy with the longest name in any script fits into a header', async () => {
  for (const name of ['漢'.repeat(128), '🖥'.repeat(64), "'".repeat(128)]) {
    await app.send('PATCH', "/api/projects/shop/computers/it's", { body: { name } });
    const path = `/api/projects/shop/computers/${encodeURIComponent(name)}`;
    const answer = await app.send('POST', `${path}/move`, { body: { x: 5000, y: 1 } });
    const header = String(answer.headers['x-error-remedy']);
    expect(header.length).toBeLessThan(4096);
    expect(decodeRemedy(header)).toContain(name.replaceAll("'", "'\\''"));
    await app.send('PATCH', path, { body: { name: "it's" } });
  }
});

it('a remedy names the computer as in commands, quoted for a shell', async () => {
  const name = `'shop/it'\\''s'`;
  const outside = { x: 5000, y: 1 };
  const screenshot = `See the screen: vc screenshot ${name}`;
  expect(await remedyOf('POST', `${computer}/move`, outside)).toBe(screenshot);
  await app.send('POST', `${computer}/stop`);
  const start = `Start it: vc start ${name}`;
  expect(await remedyOf('POST', `${computer}/move`, { x: 1, y: 1 })).toBe(start);
  await app.send('PATCH', computer, { body: { protected: true } });
  const unprotect = `Remove the protection: vc computer update ${name} --unprotect`;
  expect(await remedyOf('DELETE', computer)).toBe(unprotect);
});

it('a limit names the command that raises it while the service runs', async () => {
  const remedy = await remedyOf('POST', '/api/projects/shop/computers', { name: 'two' });
  expect(remedy).toContain('vc owner set default --max-running 2');
});

it('a wrong key names the command that logs in', async () => {
  const remedy = await remedyOf('GET', '/api/me', undefined, 'Bearer wrong');
  expect(remedy).toContain('vc login');
});

it('each computer of a project that fails to start has its own error and remedy', async () => {
  await app.send('POST', `${computer}/stop`);
  await app.send('POST', '/api/projects/shop/computers', { body: { name: 'two' } });
  const { json } = await app.send('POST', '/api/projects/shop/start');
  expect(json.success).toBe(false);
  expect(json.computers).toContainEqual({
    id: expect.any(String),
    name: expect.any(String),
    status: 'stopped',
    changed: false,
    error: 'The limit of running computers (1) is reached.',
    remedy: expect.stringContaining('vc owner set default --max-running 2'),
  });
});
