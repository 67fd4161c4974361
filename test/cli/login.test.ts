import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { API_KEY, openWorld, type World } from './support/run.js';

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

test('vc login tries the key on the service, then keeps it', async () => {
  world.service.on('GET /me', me);
  const argv = ['login', '--base-url', world.service.baseUrl];
  const { code, stdout, stderr } = await world.run(argv, { env: withoutKey, stdin: 'vc_fresh\n' });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toContain('as default (usr_1), profile default');
  expect(world.service.received.at(-1)?.headers.authorization).toBe('Bearer vc_fresh');
  const { current, profiles } = await stored();
  expect(profiles[current]).toEqual({ baseUrl: world.service.baseUrl, apiKey: 'vc_fresh' });
});

test('nobody is asked for the key of a service that is not there', async () => {
  for (const io of [{ terminal: true, stdin: 'vc_typed\r' }, { stdin: '' }]) {
    const argv = ['login', '--base-url', 'http://127.0.0.1:1/api'];
    const { code, stderr } = await world.run(argv, { ...io, env: withoutKey });
    expect(code).toBe(7);
    expect(stderr).toContain('nothing listens there');
    expect(stderr).not.toContain('API key for');
  }
});

test('a key that the service refuses is not kept', async () => {
  world.service.fail('GET /me', 401, 'unauthorized', 'The API key is wrong.');
  const argv = ['login', '--base-url', world.service.baseUrl];
  const { code, stderr } = await world.run(argv, { env: withoutKey, stdin: 'vc_wrong\n' });
  expect(code).toBe(4);
  expect(stderr).not.toContain('vc_wrong');
  await expect(stored()).rejects.toThrow('ENOENT');
});

test('another service gets a profile of its own, named after its host', async () => {
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

test('on a terminal the key is asked for and not echoed', async () => {
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

test('vc whoami tells user, key, service and what runs', async () => {
  world.service.on('GET /me', me);
  const plain = await world.run(['whoami']);
  expect(plain.stdout).toContain('usr_1');
  expect(plain.stdout).toContain('1 of 2 running');
  const { stdout } = await world.run(['whoami', '--json=user_id,running']);
  expect(JSON.parse(stdout)).toEqual({ user_id: 'usr_1', running: 1 });
  expect((await world.run(['whoami', '-q'])).stdout).toBe('usr_1\n');
});
