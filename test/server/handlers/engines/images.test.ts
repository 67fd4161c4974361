import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openTestApp, type TestApp } from '../../../support/app.js';

let app: TestApp;
beforeEach(async () => {
  app = await openTestApp();
});
afterEach(() => app.close());

const failure = new Error("EACCES: permission denied, scandir '/srv/vc/state/qemu/images'");

it('a failure to list images names no path of the host', async () => {
  vi.spyOn(app.world.engine, 'images').mockRejectedValue(failure);
  const { json } = await app.send('GET', '/api/images');
  const [{ reason }] = json.failures as [{ reason: string }];
  expect(reason).toBe("EACCES: permission denied, scandir '…/images'");
});

it('a limited key of an administrator sees no templates of other owners', async () => {
  const stored = { os: 'linux', bytes: 1, createdAt: new Date() } as const;
  const shape = { cpu: 8, ram: 16, resolution: { width: 800, height: 600 } };
  const template = { ...stored, ...shape, image: 'linux', stale: false, key: 'a' };
  Object.assign(app.world.engine, {
    images: async () => [{ ...stored, name: 'linux', recipeHash: 'a' }],
    templates: async () => [template],
  });
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const kinds = async (key: string) => {
    const { json } = await app.send('GET', '/api/images', { authorization: `Bearer ${key}` });
    return (json.images as { kind: string }[]).map(({ kind }) => kind);
  };
  expect(await kinds(app.world.key)).toEqual(['image', 'template']);
  for (const limits of [{ project: 'p' }, { rights: 'look' }, { rights: 'act' }]) {
    const { json } = await app.send('POST', '/api/keys', {
      body: { name: JSON.stringify(limits).replace(/\W/g, ''), ...limits },
    });
    expect(await kinds(String(json.key)), JSON.stringify(limits)).toEqual(['image']);
  }
});

it('a failed computer, alone and in its project, names no path of the host', async () => {
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  const path = '/api/projects/p/computers';
  await app.send('POST', path, { body: { name: 'a' } });
  vi.spyOn(app.world.engine, 'start').mockRejectedValue(failure);
  await app.send('POST', `${path}/a/restart`);
  const { json } = await app.send('GET', `${path}/a`);
  expect(json).toMatchObject({
    status: 'error',
    status_reason: expect.stringContaining('…/images'),
  });
  for (const step of ['start', 'restart']) {
    const { text } = await app.send('POST', `/api/projects/p/${step}`);
    expect(text).not.toContain('/srv');
    expect((await app.send('POST', `${path}/a/${step}`)).text).not.toContain('/srv');
  }
});
