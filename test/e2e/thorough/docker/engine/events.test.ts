import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServiceEvent } from '../../../../../src/contract/events.js';
import { eventually } from '../../../../support/eventually.js';
import { type OwnDesktop, openOwnDesktop } from '../../../../support/service/desktop.js';

let desktop: OwnDesktop;
beforeAll(async () => {
  desktop = await openOwnDesktop();
});
afterAll(() => desktop.close());

it('an event stream continues through SIGKILL of the service, with nothing missed or repeated', async () => {
  const { service, id } = desktop;
  const watching = new AbortController();
  const seen: ServiceEvent[] = [];
  const events = service.vc.events({
    ...{ types: ['computer.status', 'job.exited'], computer: id, signal: watching.signal },
  });
  const reading = (async () => {
    for await (const event of events) seen.push(event);
  })();
  await eventually(async () => events.lastEventId !== undefined);
  const statuses = () =>
    seen.flatMap((event) => (event.type === 'computer.status' ? [event.status] : []));
  await service.http('POST', `/computers/${id}/stop`);
  await eventually(async () => statuses().at(-1) === 'stopped');
  // The start is written and not finished when the service is killed.
  await service.http('POST', `/computers/${id}/start?wait=0`);
  await service.kill('SIGKILL');
  await service.start();
  await eventually(async () => statuses().at(-1) === 'running', 120_000);
  expect(statuses()).toEqual(['stopping', 'stopped', 'starting', 'running']);

  const job = await desktop.computer.bash('sleep 8; exit 7', { background: true });
  await service.kill('SIGKILL');
  await service.start();
  const exit = await eventually(async () => seen.find(({ type }) => type === 'job.exited'), 60_000);
  const { ended_at } = await desktop.computer.jobs.get(job.job_id);
  expect(exit).toMatchObject({ id: job.job_id, exit_code: 7, computer: 'desktop', ended_at });
  expect(ended_at).toEqual(expect.any(String));

  // A client that has read the end of a job may stop the computer at once.
  const last = await desktop.computer.bash('sleep 0.2; exit 3', { background: true });
  for await (const _ of desktop.computer.jobs.follow(last.job_id));
  await service.http('POST', `/computers/${id}/stop`);
  await eventually(async () => statuses().at(-1) === 'stopped');
  const ended = seen.filter(({ type }) => type === 'job.exited');
  expect(ended.at(-1)).toMatchObject({ id: last.job_id, exit_code: 3 });
  watching.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
  expect(seen.filter(({ type }) => type === 'job.exited')).toHaveLength(2);
});
