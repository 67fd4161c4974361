import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectSharedService } from '../../../support/service/service.js';
import { openViewer } from '../../../support/viewer.js';

/** Longer than the shortest limit, one minute, plus the interval of the check. */
const IDLE_MS = 80_000;

const service = connectSharedService();
const project = `idle-${process.pid}`;
beforeAll(() => service.vc.projects.create(project));
afterAll(async () => {
  await service.vc.projects.delete(project);
  await service.close();
});

it('one with an open live view is not stopped as idle; idle and expired ones are deleted', {
  timeout: 240_000,
}, async () => {
  const { json } = await service.http('POST', `/projects/${project}/computers`, {
    name: 'watched',
    auto_stop_minutes: 1,
  });
  const expiring = { name: 'expiring', expires_in: 60 };
  const { json: other } = await service.http('POST', `/projects/${project}/computers`, expiring);
  const watched = service.vc.computer({ id: json.id });
  const viewer = openViewer((await watched.view('view')).url);
  expect(await viewer.first).toMatchObject({ type: 'ready' });
  const idling = { name: 'idling', auto_stop_minutes: 1, on_idle: 'delete' };
  const { json: idle } = await service.http('POST', `/projects/${project}/computers`, idling);
  await sleep(IDLE_MS);
  expect((await watched.get()).status).toBe('running');
  expect((await service.http('GET', `/computers/${other.id}`)).status).toBe(404);
  expect((await service.http('GET', `/computers/${idle.id}`)).status).toBe(404);
  viewer.socket.close();
});
