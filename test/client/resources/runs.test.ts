import { afterEach, beforeEach, expect, it } from 'vitest';
import { VirtualComputers } from '../../../src/client/index.js';
import { openTestApp, type TestApp } from '../../support/app.js';

let app: TestApp;
let vc: VirtualComputers;
beforeEach(async () => {
  app = await openTestApp();
  const { world, port } = app;
  vc = new VirtualComputers({ baseUrl: `http://127.0.0.1:${port}/api`, apiKey: world.key });
});
afterEach(async () => {
  await vc.close();
  await app.close();
});

it('creates a run, sets the state of its tasks, and reads both', async () => {
  const { id, tasks } = await vc.runs.create({ name: 'office', tasks: ['write', 'order'] });
  expect(tasks.map(({ name, status }) => [name, status])).toEqual([
    ['write', 'waiting'],
    ['order', 'waiting'],
  ]);
  await vc.runs.updateTask(id, 'write', { status: 'passed', seconds: 2.5, picture: '/9j/4AAQ' });
  const run = await vc.runs.get(id);
  expect(run.tasks[0]).toMatchObject({ status: 'passed', seconds: 2.5, has_picture: true });
  expect(await vc.runs.list()).toEqual([run]);
  const picture = await vc.runs.picture(id, 'write');
  expect(Buffer.from(picture).toString('base64')).toBe('/9j/4AAQ');
  await expect(vc.runs.get('run_none')).rejects.toMatchObject({
    message: 'There is no run "run_none".',
  });
});
