// @module-tag slow
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';

let app: TestApp;
beforeEach(async () => {
  app = await openTestApp({ maxRunning: 99 });
  await app.send('POST', '/api/projects', { body: { name: 'shop' } });
});
afterEach(() => app.close());

const send = (key: string, method: string, path: string, body?: object) =>
  app.send(method, `/api${path}`, { authorization: `Bearer ${key}`, body });

async function createKey(body: object): Promise<{ id: string; key: string }> {
  const { json, status } = await send(app.world.key, 'POST', '/keys', { name: 'agent', ...body });
  expect(status, JSON.stringify(json)).toBe(200);
  return { id: String(json.id), key: String(json.key) };
}

async function usedBy(id: string) {
  const { json } = await send(app.world.key, 'GET', '/keys');
  return (json.keys as { id: string }[]).find((key) => key.id === id);
}

test('actions are refused when they are used up, with a warning before', async () => {
  const { id, key } = await createKey({ max_actions: 5 });
  const computer = await send(app.world.key, 'POST', '/projects/shop/computers', { name: 'desk' });
  const click = () => send(key, 'POST', `/computers/${computer.json.id}/click`, { x: 1, y: 1 });
  for (let i = 1; i <= 5; i += 1) {
    const { status, headers } = await click();
    expect([i, status, headers['x-budget']]).toEqual([
      ...[i, 200, i === 5 ? 'max_actions=4/5' : undefined],
    ]);
  }
  const refused = await click();
  expect(refused.status).toBe(400);
  expect(refused.headers).toMatchObject({
    'x-error-code': 'limit_reached',
    'x-budget': 'max_actions=5/5',
  });
  expect(refused.json.error).toMatch(/"agent" is used up: 5 of 5 actions \(max_actions\)/);
  expect(refused.headers['x-error-remedy']).toContain(`vc key update ${id} --max-actions N`);
  // Looking, and what frees something, stays possible.
  expect((await send(key, 'GET', '/me')).json.key).toMatchObject({
    ...{ max_actions: 5, max_hours: null, max_computers: null },
    used: { actions: 5, computers: 0 },
  });
  expect((await send(key, 'POST', `/computers/${computer.json.id}/stop`)).status).toBe(200);
  expect((await send(key, 'DELETE', `/computers/${computer.json.id}`)).status).toBe(200);
  app = await app.restart();
  expect(await usedBy(id)).toMatchObject({ used: { actions: 7 } });
  const raised = await send(app.world.key, 'PATCH', `/keys/${id}`, { max_actions: null });
  expect(raised.json).toMatchObject({ max_actions: null, used: { actions: 7 } });
  expect((await send(key, 'POST', '/projects', { name: 'other' })).status).toBe(200);
});

test('exactly as many actions succeed as the budget has, however many are sent at once', async () => {
  const { id, key } = await createKey({ max_actions: 50 });
  const computer = await send(app.world.key, 'POST', '/projects/shop/computers', { name: 'desk' });
  const click = () =>
    send(key, 'POST', `/computers/${computer.json.id}/batch`, {
      actions: [
        { action: 'wait', seconds: 0.001 },
        { action: 'click', x: 1, y: 1 },
      ],
    });
  const answers = await Promise.all(Array.from({ length: 100 }, click));
  const codes = answers.map(({ status, headers }) => headers['x-error-code'] ?? status);
  expect(codes.filter((code) => code === 200)).toHaveLength(50);
  expect(codes.filter((code) => code === 'limit_reached')).toHaveLength(50);
  const refused = answers.find(({ status }) => status === 400);
  expect(refused?.json.error).toMatch(/50 of 50 actions \(max_actions\)/);
  expect(await usedBy(id)).toMatchObject({ used: { actions: 50 } });
  // Written soon, for a service that is killed.
  const written = async () => app.world.store.keys.used(id)?.used_actions;
  await eventually(async () => (await written()) === 50);
  app = await app.restart();
  expect((await click()).headers['x-error-code']).toBe('limit_reached');
});

test('an action that does nothing takes nothing of the budget', async () => {
  const { id, key } = await createKey({ max_actions: 1 });
  const computer = await send(app.world.key, 'POST', '/projects/shop/computers', { name: 'desk' });
  for (let i = 0; i < 3; i += 1) {
    const { status } = await send(key, 'POST', '/computers/cmp_00000000000000000000/click', {});
    expect(status).toBe(404);
  }
  const click = await send(key, 'POST', `/computers/${computer.json.id}/click`, { x: 1, y: 1 });
  expect(click.status).toBe(200);
  expect(await usedBy(id)).toMatchObject({ used: { actions: 1 } });
});

test('exactly as many computers are created as the budget has, however many ask at once', async () => {
  const { id, key } = await createKey({ max_computers: 3 });
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      send(key, 'POST', '/projects/shop/computers', { name: `desk ${i}` }),
    ),
  );
  const codes = answers.map(({ status, headers }) => headers['x-error-code'] ?? status).sort();
  expect(codes).toEqual([200, 200, 200, ...Array(7).fill('limit_reached')]);
  expect(await usedBy(id)).toMatchObject({ used: { computers: 3 } });
  // Deleted ones count.
  const made = answers.find(({ status }) => status === 200);
  await send(key, 'DELETE', `/computers/${made?.json.id}`);
  const again = await send(key, 'POST', '/projects/shop/computers', { name: 'more' });
  expect(again.json.error).toMatch(/3 of 3 computers created \(max_computers\)/);
});

test('a creation that fails takes nothing of the budget', async () => {
  const { id, key } = await createKey({ max_computers: 1 });
  app.world.engine.failures.set('start', new Error('no memory'));
  const failed = await send(key, 'POST', '/projects/shop/computers', { name: 'desk' });
  expect(failed.status).not.toBe(200);
  app.world.engine.failures.clear();
  expect(await usedBy(id)).toMatchObject({ used: { computers: 0 } });
  expect((await send(key, 'POST', '/projects/shop/computers', { name: 'desk' })).status).toBe(200);
});

test('a key with a budget cannot give itself more', async () => {
  const { id, key } = await createKey({ max_actions: 100 });
  for (const [method, path, body] of [
    ['POST', '/keys', { name: 'free' }],
    ['PATCH', `/keys/${id}`, { max_actions: 200 }],
    ['PATCH', `/keys/${id}`, { max_actions: null }],
  ] as const) {
    const { status, headers } = await send(key, method, path, body);
    expect([status, headers['x-error-code']], path).toEqual([403, 'forbidden']);
  }
  // Its owner is an administrator.
  expect((await send(key, 'GET', '/owners')).status).toBe(404);
  expect(await usedBy(id)).toMatchObject({ max_actions: 100 });
});

test('an owner keeps a key without a budget', async () => {
  const { json } = await send(app.world.key, 'GET', '/me');
  const path = `/keys/${(json.key as { id: string }).id}`;
  const { headers } = await send(app.world.key, 'PATCH', path, { max_hours: 1 });
  expect(headers['x-error-code']).toBe('conflict');
});

test.each(['max_computers', 'max_hours', 'max_actions'])('%s is checked', async (name) => {
  for (const value of [-1, 0, 1.5, 1e12, '5', true, Number.NaN]) {
    const { status, json } = await send(app.world.key, 'POST', '/keys', {
      ...{ name: 'agent', [name]: value },
    });
    const isNull = Number.isNaN(value);
    expect(status, String(value)).toBe(isNull ? 200 : 400);
    if (!isNull) expect(json.error).toMatch(new RegExp(`^${name} must be an integer from 1 to`));
  }
});
