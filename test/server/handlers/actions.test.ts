import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
  const { connectors } = app.world;
  const { openScreen, openShell } = connectors;
  const ended = { stdout: '', stderr: '', exitCode: null, timedOut: true, truncated: false };
  Object.assign(connectors, {
    openScreen: async (...given: Parameters<typeof openScreen>) =>
      Object.assign(await openScreen(...given), { waitChange: async () => false }),
    openShell: async (...given: Parameters<typeof openShell>) => {
      const shell = await openShell(...given);
      const run = shell.run.bind(shell);
      const late: typeof run = async (input) => (input.command === 'sleep 9' ? ended : run(input));
      return Object.assign(shell, { run: late });
    },
  });
  await app.send('POST', '/api/projects', { body: { name: 'shop' } });
  await app.send('POST', '/api/projects/shop/computers', { body: { name: 'desk' } });
});
afterAll(() => app.close());

const act = (action: string, body: object) =>
  app.send('POST', `/api/projects/shop/computers/desk/${action}`, { body });

it('a wait for a change that does not come is a success that says so', async () => {
  const { status, json } = await act('wait', { until: 'change', timeout: 0.1 });
  expect(status).toBe(200);
  expect(json).toEqual({ success: true, waited: expect.any(Number), changed: false });
  expect((await act('wait', { until: 'stable' })).json).not.toHaveProperty('changed');
});

it('a command that was ended at its time-out is no success, and ends a batch', async () => {
  const { status, json } = await act('bash', { command: 'sleep 9', timeout: 1 });
  expect(status).toBe(200);
  expect(json).toMatchObject({ success: false, timed_out: true, exit_code: null });
  const actions = [
    { action: 'bash', command: 'sleep 9', timeout: 1 },
    { action: 'move', x: 1, y: 1 },
  ];
  const batch = (await act('batch', { actions })).json;
  expect(batch).toMatchObject({ success: false, results: [{ timed_out: true }] });
});

it.each([
  [{}, /^seconds must be given, or until/],
  [{ seconds: 1, until: 'stable' }, /^until must not be given with a time/],
  [{ duration: 1, until: 'change' }, /^until must not be given with a time/],
  [{ seconds: 1, duration: 2 }, /^seconds .*another duration/],
  [{ seconds: 1, region: [0, 0, 1, 1] }, /^region needs until/],
])('a wait for %j is refused', async (body, error) => {
  const { status, json } = await act('wait', body);
  expect([status, json.error]).toEqual([400, expect.stringMatching(error)]);
});

it('a search without a condition names all conditions', async () => {
  const { json } = await act('find', {});
  expect(json.error).toMatch(/^text must be given, or role or name/);
});
