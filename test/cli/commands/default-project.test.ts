import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { API_KEY, computer, openWorld, project, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const asked = () => world.service.received.map(({ method, url }) => `${method} ${url.slice(4)}`);

/** Saves a profile of the fake service, and makes it the current one. */
async function addProfile(baseUrl = world.service.baseUrl): Promise<void> {
  const add = ['profile', 'add', 'lab', '--base-url', baseUrl];
  expect((await world.run(add, { stdin: API_KEY })).code).toBe(0);
}

const defaultOf = async () =>
  JSON.parse((await world.run(['profile', 'ls', '--json'])).stdout).profiles[0].project;

describe('vc project rename', () => {
  beforeEach(() => {
    world.service.on('GET /projects/shop', { ...project, name: 'shop', computers: [] });
    world.service.on('PATCH /projects/shop', { ...project, name: 'store' });
    world.service.on('PATCH /projects/other', { ...project, name: 'others' });
  });

  test('renames the default project in the profile too, and no other one', async () => {
    await addProfile();
    await world.run(['project', 'use', 'shop']);
    await world.run(['project', 'rename', 'other', 'others']);
    expect(await defaultOf()).toBe('shop');
    const { stderr } = await world.run(['project', 'rename', 'shop', 'store']);
    expect(stderr).toBe(
      'renamed project shop to store\nthe default project is now store, in profile lab\n',
    );
    expect(await defaultOf()).toBe('store');
  });
});

describe('vc project use', () => {
  beforeEach(() => {
    world.service.on('GET /projects/shop', { ...project, name: 'shop', computers: [] });
  });

  test('saves the default project in the profile, and --unset removes it', async () => {
    await addProfile();
    expect(await world.run(['project', 'use', 'shop'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'the default project is now shop, in profile lab\n',
    });
    expect(await defaultOf()).toBe('shop');
    expect((await world.run(['profile', 'get'])).stdout).toContain('shop  (profile: lab)');
    const unset = await world.run(['project', 'use', '--unset', '--json']);
    expect(JSON.parse(unset.stdout)).toEqual({ profile: 'lab', project: null });
    expect(await defaultOf()).toBeNull();
  });

  test('saves the name if an id is given, and the rest of the profile stays', async () => {
    world.service.on(`GET /projects/${project.id}`, { ...project, computers: [] });
    await addProfile();
    await world.run(['project', 'use', project.id]);
    expect(await defaultOf()).toBe('demo');
    const env = { VC_API_KEY: '', VC_BASE_URL: '' };
    world.service.on('GET /keys', { keys: [] });
    expect((await world.run(['key', 'ls'], { env })).code).toBe(0);
  });

  test('fails for a project that does not exist, and changes nothing', async () => {
    await addProfile();
    await world.run(['project', 'use', 'shop']);
    expect((await world.run(['project', 'use', 'shpo'])).code).toBe(5);
    expect(await defaultOf()).toBe('shop');
  });

  test('needs a profile of the service in use', async () => {
    expect(await world.run(['project', 'use', 'shop'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('log in: vc login'),
    });
    await addProfile('https://vc.example.com/api');
    const other = await world.run(['project', 'use', 'shop']);
    expect(other.code).toBe(1);
    expect(other.stderr).toContain(`there is no profile for ${world.service.baseUrl}`);
    expect(await defaultOf()).toBeNull();
  });

  test.each([[[]], [['shop', '--unset']], [['']]])('%j is a usage error', async (words) => {
    expect((await world.run(['project', 'use', ...words])).code).toBe(2);
    expect(asked()).toEqual([]);
  });

  test('says that VC_PROJECT overrides it', async () => {
    await addProfile();
    const { stderr } = await world.run(['project', 'use', 'shop'], { env: { VC_PROJECT: 'lab' } });
    expect(stderr).toContain('VC_PROJECT overrides it: lab\n');
  });
});

test('vc project ls marks the default project', async () => {
  const projects = ['default', 'shop'].map((name) => ({ ...project, name }));
  world.service.on('GET /projects', { projects });
  const rows = async (env = {}) => {
    const { stdout } = await world.run(['project', 'ls'], { env });
    return stdout.split('\n').filter((line) => line.endsWith('\t*'));
  };
  expect((await rows()).map((line) => line.split('\t')[0])).toEqual(['default']);
  expect((await rows({ VC_PROJECT: 'shop' })).map((l) => l.split('\t')[0])).toEqual(['shop']);
});

test('vc project rm unsets the default project that it removes', async () => {
  world.service.on('GET /projects/shop', { ...project, name: 'shop', computers: [] });
  for (const name of ['shop', 'lab'])
    world.service.on(`DELETE /projects/${name}`, { success: true });
  await addProfile();
  await world.run(['project', 'use', 'shop']);
  await world.run(['project', 'rm', 'lab', '--yes']);
  expect(await defaultOf()).toBe('shop');
  expect((await world.run(['project', 'rm', 'shop', '--yes'])).stderr).toBe(
    'removed project shop\nthe default project is unset, in profile lab\n',
  );
  expect(await defaultOf()).toBeNull();
});

describe('vc create NAME', () => {
  const inDefault = { ...computer, name: 'desk', project_name: 'default' };

  test('creates the missing project "default" first', async () => {
    let exists = false;
    world.service.handle('POST /projects', (_, response) => {
      exists = true;
      response.end(JSON.stringify({ ...project, name: 'default' }));
    });
    world.service.handle('POST /projects/default/computers', (_, response) => {
      if (exists) return response.end(JSON.stringify(inDefault));
      response.setHeader('x-error-code', 'not_found').writeHead(404);
      return response.end('{"error":"There is no project \\"default\\"."}');
    });
    expect(await world.run(['create', 'desk'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^created default\/desk \(.*\), running\n/),
    });
    expect(asked()).toEqual([
      'POST /projects/default/computers',
      'POST /projects',
      'POST /projects/default/computers',
    ]);
    expect(world.service.received[1]?.body).toEqual({ name: 'default' });
  });

  test('needs one request if the project exists', async () => {
    world.service.on('POST /projects/default/computers', inDefault);
    expect((await world.run(['create', 'desk'])).code).toBe(0);
    expect(asked()).toHaveLength(1);
  });

  test('works if another client creates the project meanwhile', async () => {
    let attempts = 0;
    world.service.fail('POST /projects', 400, 'name_taken', 'There is one already.');
    world.service.handle('POST /projects/default/computers', (_, response) => {
      attempts += 1;
      if (attempts === 2) return response.end(JSON.stringify(inDefault));
      response.setHeader('x-error-code', 'not_found').writeHead(404);
      return response.end('{"error":"There is no project \\"default\\"."}');
    });
    expect((await world.run(['create', 'desk'])).code).toBe(0);
  });

  test('uses a configured default project, and does not create it', async () => {
    const { code } = await world.run(['create', 'desk'], { env: { VC_PROJECT: 'shop' } });
    expect(code).toBe(5);
    expect((await world.run(['create', 'lab/desk'])).code).toBe(5);
    expect((await world.run(['create', 'desk', '-p', 'lab'])).code).toBe(5);
    expect(asked()).toEqual([
      'POST /projects/shop/computers',
      'POST /projects/lab/computers',
      'POST /projects/lab/computers',
    ]);
  });

  test('another error than "not found" creates no project', async () => {
    const route = 'POST /projects/default/computers';
    world.service.fail(route, 400, 'limit_reached', 'The limit is reached.');
    expect((await world.run(['create', 'desk'])).code).toBe(6);
    expect(asked()).toHaveLength(1);
  });
});
