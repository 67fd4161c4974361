import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { buildApp } from '../../../src/server/app.js';
import type { FakeScreen } from '../../support/fake-connectors.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';

const MIB = 2 ** 20;
const COUNT = 100;

let world: TestFleet;
let app: FastifyInstance;
let C: string;
let screen: FakeScreen;
beforeAll(async () => {
  world = await openTestFleet();
  const log = pino({ level: 'silent' });
  app = await buildApp({ fleet: world.fleet, reachable: { hosts: [] }, version: '0.0.0', log });
  await call('POST', '/projects', { name: 'p' });
  C = `/computers/${(await call('POST', '/projects/p/computers', { name: 'a' })).json().id}`;
  await call('GET', `${C}/screenshot`);
  [screen] = world.connectors.screens.slice(-1) as [FakeScreen];
});
afterAll(async () => {
  await app.close();
  await world.close();
});

function call(method: 'GET' | 'POST', path: string, payload?: object) {
  const headers = { authorization: `Bearer ${world.key}`, host: 'localhost' };
  return app.inject({ method, url: `/api${path}`, headers, ...(payload && { payload }) });
}

/** Screenshots that all wait for one picture of 6 MiB, 8 MiB in base64. */
async function shots() {
  const data = Buffer.alloc(6 * MIB, 7);
  let give = () => {};
  const given = new Promise<void>((resolve) => (give = resolve));
  let waiting = 0;
  const taking = vi.spyOn(screen, 'screenshot').mockImplementation(async ({ format }) => {
    waiting += 1;
    await given;
    return { data, format, width: 1280, height: 800 };
  });
  const answers = Array.from({ length: COUNT }, () => call('GET', `${C}/screenshot`));
  await expect.poll(() => waiting, { timeout: 20_000 }).toBe(COUNT);
  const made = vi.spyOn(data, 'toString');
  give();
  const all = await Promise.all(answers);
  taking.mockRestore();
  return { all, made: made.mock.calls.length };
}

it('of many screenshots at once, those without room are refused before they are made', async () => {
  const { all, made } = await shots();
  const given = all.filter(({ statusCode }) => statusCode === 200);
  expect(given.length).toBeGreaterThan(4);
  expect(given.length).toBeLessThan(12);
  expect(made).toBe(given.length);
  const { image, ...rest } = given[0]?.json() ?? {};
  expect(image).toBe(Buffer.alloc(6 * MIB, 7).toString('base64'));
  const size = { width: 1280, height: 800 };
  expect(rest).toEqual({ success: true, format: 'png', encoding: 'base64', ...size });
  const refused = all.find(({ statusCode }) => statusCode === 429);
  expect(refused?.json().error).toContain('have not been read yet');
});
