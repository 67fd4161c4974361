import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { API_KEY, openWorld, type World } from '../support/run.js';

const me = {
  user_id: 'usr_1',
  name: 'default',
  key: { id: 'key_1', name: 'laptop' },
  running: 1,
  max_running: 2,
};

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const withoutKey = { VC_API_KEY: undefined, VC_BASE_URL: undefined };
const stored = async () =>
  JSON.parse(await readFile(join(world.directory, 'config', 'config.json'), 'utf8')) as {
    current: string;
    profiles: Record<string, { baseUrl: string; apiKey: string }>;
  };

test('vc login checks the key, then saves it', async () => {
  world.service.on('GET /me', me);
  const argv = ['login', '--base-url', world.service.baseUrl];
  const { code, stdout, stderr } = await world.run(argv, { env: withoutKey, stdin: 'vc_fresh\n' });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toContain('as default (usr_1), profile default');
  expect(world.service.received.at(-1)?.headers.authorization).toBe('Bearer vc_fresh');
  const { current, profiles } = await stored();
  expect(profiles[current]).toEqual({ baseUrl: world.service.baseUrl, apiKey: 'vc_fresh' });
});

test('an unreachable service fails before the prompt', async () => {
  for (const io of [{ terminal: true, stdin: 'vc_typed\r' }, { stdin: '' }]) {
    const argv = ['login', '--base-url', 'http://127.0.0.1:1/api'];
    const { code, stderr } = await world.run(argv, { ...io, env: withoutKey });
    expect(code).toBe(7);
    expect(stderr).toContain('nothing listens there');
    expect(stderr).not.toContain('API key for');
  }
});

test('a refused key is not saved', async () => {
  world.service.fail('GET /me', 401, 'unauthorized', 'The API key is wrong.');
  const argv = ['login', '--base-url', world.service.baseUrl];
  const { code, stderr } = await world.run(argv, { env: withoutKey, stdin: 'vc_wrong\n' });
  expect(code).toBe(4);
  expect(stderr).not.toContain('vc_wrong');
  expect(stderr).toContain(`error: ${world.service.baseUrl} does not accept this API key\n`);
  expect(stderr).not.toContain('VC_API_KEY');
  await expect(stored()).rejects.toThrow('ENOENT');
});

test('the key of another owner is only replaced in a named profile', async () => {
  let isBusy = false;
  world.service.handle('GET /me', ({ headers }, response) => {
    if (isBusy && headers.authorization === 'Bearer vc_second') response.statusCode = 503;
    const isOther = headers.authorization === 'Bearer vc_other';
    const answer = isOther ? { ...me, user_id: 'usr_2', name: 'alice' } : me;
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  const login = (key: string, ...words: string[]) =>
    world.run(['login', '--base-url', world.service.baseUrl, ...words], {
      env: withoutKey,
      stdin: `${key}\n`,
    });
  const keyOf = async (name: string) => (await stored()).profiles[name]?.apiKey;
  await login('vc_first');
  expect((await login('vc_second')).code).toBe(0);
  expect(await login('vc_other')).toMatchObject({
    code: 6,
    stderr: expect.stringContaining(`vc login --profile alice ${world.service.baseUrl}`),
  });
  isBusy = true;
  expect((await login('vc_other')).code).toBe(7);
  expect(await keyOf('default')).toBe('vc_second');
  expect((await login('vc_other', '--profile', 'alice')).code).toBe(0);
  expect(await keyOf('default')).toBe('vc_second');
  expect((await login('vc_other', '--profile', 'default')).code).toBe(0);
  expect(await keyOf('default')).toBe('vc_other');
});

test('another service gets its own profile, named after its host', async () => {
  world.service.on('GET /me', me);
  await world.run(['profile', 'add', 'default', '--base-url', 'https://vc.example.com/api'], {
    env: withoutKey,
    stdin: `${API_KEY}\n`,
  });
  const argv = ['login', '--base-url', world.service.baseUrl];
  await world.run(argv, { env: withoutKey, stdin: 'vc_fresh\n' });
  const { current, profiles } = await stored();
  expect(current).toBe('127.0.0.1');
  expect(profiles.default?.apiKey).toBe(API_KEY);
});

test('a new profile without an address is for the service of the current profile', async () => {
  world.service.on('GET /me', me);
  const options = { env: withoutKey, stdin: 'vc_fresh\n' };
  await world.run(['login', '--base-url', world.service.baseUrl], options);
  expect(await world.run(['login', '--profile', 'colleague'], options)).toMatchObject({ code: 0 });
  const { current, profiles } = await stored();
  expect(current).toBe('colleague');
  expect(profiles.colleague?.baseUrl).toBe(world.service.baseUrl);
});

test('the address may be an argument, also without its path', async () => {
  world.service.on('GET /me', me);
  const options = { env: withoutKey, stdin: 'vc_fresh\n' };
  for (const url of [world.service.baseUrl, new URL(world.service.baseUrl).origin]) {
    expect(await world.run(['login', url], options)).toMatchObject({ code: 0 });
    const { current, profiles } = await stored();
    expect(profiles[current]?.baseUrl).toBe(world.service.baseUrl);
  }
  const both = ['login', world.service.baseUrl, '--base-url', 'http://127.0.0.1:1/api'];
  expect(await world.run(both, options)).toMatchObject({ code: 2 });
  expect((await world.run(['login', 'colleague'], options)).stderr).toContain('--profile NAME');
});

test('a refused key is named as it is set', async () => {
  world.service.fail('GET /me', 401, 'unauthorized', 'The API key is wrong.');
  const { stderr } = await world.run(['whoami'], { columns: 200 });
  expect(stderr).toContain(`not accepted by ${world.service.baseUrl}: it is mistyped, was revoked`);
  expect(stderr).toContain('; check VC_API_KEY and');
  await world.run(['profile', 'add', 'default', '--base-url', world.service.baseUrl], {
    env: withoutKey,
    stdin: `${API_KEY}\n`,
  });
  const other = await world.run(['whoami'], { env: withoutKey });
  expect(other.stderr).toContain('log in again: vc login');
  expect(other.stderr).not.toContain('VC_API_KEY');
});

test('on a terminal the key is read from a prompt without echo', async () => {
  world.service.on('GET /me', me);
  const { code, stderr } = await world.run(['login', '--base-url', world.service.baseUrl], {
    env: withoutKey,
    terminal: true,
    stdin: 'vc_typed\r',
  });
  expect(code).toBe(0);
  expect(stderr).toContain(`API key for ${world.service.baseUrl}: `);
  expect(stderr).not.toContain('vc_typed');
});

test('vc whoami prints user, key, service and running computers', async () => {
  world.service.on('GET /me', me);
  const plain = await world.run(['whoami']);
  expect(plain.stdout).toContain('usr_1');
  expect(plain.stdout).toContain('1 of 2 running');
  const { stdout } = await world.run(['whoami', '--json=user_id,running']);
  expect(JSON.parse(stdout)).toEqual({ user_id: 'usr_1', running: 1 });
  expect((await world.run(['whoami', '-q'])).stdout).toBe('usr_1\n');
});
