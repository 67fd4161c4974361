import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/app.js';

let app: TestApp;
beforeEach(async () => {
  app = await openTestApp({ maxRunning: 2 });
  await app.send('POST', '/api/projects', { body: { name: 'shop' } });
  for (const name of ['a', 'b']) {
    await app.send('POST', '/api/projects/shop/computers', { body: { name } });
  }
  await app.send('POST', '/api/projects/shop/computers/a/stop');
});
afterEach(() => app.close());

it('a step of a project writes nothing for computers of which it changes nothing', async () => {
  const entries = async () => (await app.send('GET', '/api/audit')).json.entries as unknown[];
  await app.send('POST', '/api/projects/shop/stop');
  const before = (await entries()).length;
  for (let time = 0; time < 5; time++) {
    const { json } = await app.send('POST', '/api/projects/shop/stop');
    expect(json).toMatchObject({ success: true, computers: [{ changed: false }, {}] });
  }
  expect(await entries()).toHaveLength(before);
});

it.each([
  ['stop', 'stopped', [false, true]],
  ['start', 'running', [true, false]],
  ['restart', 'running', [true, true]],
] as const)('%s of a project reports which computers it changed', async (step, status, changed) => {
  const { json } = await app.send('POST', `/api/projects/shop/${step}`);
  expect(json.success).toBe(true);
  const computers = json.computers as { name: string }[];
  const reported = ['a', 'b'].map((name) => computers.find((one) => one.name === name));
  expect(reported).toEqual(
    ['a', 'b'].map((name, i) => ({
      ...{ id: expect.stringMatching(/^cmp_/), name, status, changed: changed[i] },
    })),
  );
});
