import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';
import type { FakeScreen } from '../../support/fake-connectors.js';

const MIB = 2 ** 20;
const COUNT = 100;
const PATH = '/api/projects/p/computers/a/screenshot';

let app: TestApp;
let screen: FakeScreen;
beforeAll(async () => {
  app = await openTestApp();
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  await app.send('POST', '/api/projects/p/computers', { body: { name: 'a' } });
  await app.send('GET', PATH);
  [screen] = app.world.connectors.screens.slice(-1) as [FakeScreen];
});
afterAll(() => app.close());

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
  const answers = Array.from({ length: COUNT }, () => app.send('GET', PATH));
  await expect.poll(() => waiting, { timeout: 20_000 }).toBe(COUNT);
  const made = vi.spyOn(data, 'toString');
  give();
  const all = await Promise.all(answers);
  taking.mockRestore();
  // A picture becomes a text in parts.
  const begun = made.mock.calls.filter(([, start]) => start === 0);
  return { all, made: begun.length };
}

it('of many screenshots at once, those without room are refused before they are made', async () => {
  const { all, made } = await shots();
  const given = all.filter(({ status }) => status === 200);
  expect(given.length).toBeGreaterThan(4);
  expect(given.length).toBeLessThan(12);
  expect(made).toBe(given.length);
  const { image, ...rest } = given[0]?.json ?? {};
  expect(image).toBe(Buffer.alloc(6 * MIB, 7).toString('base64'));
  const size = { width: 1280, height: 800 };
  expect(rest).toEqual({ success: true, format: 'png', encoding: 'base64', ...size });
  const refused = all.find(({ status }) => status === 429);
  expect(refused?.json.error).toContain('have not been read yet');
});
