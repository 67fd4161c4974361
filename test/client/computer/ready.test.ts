// @module-tag slow
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  CommandError,
  ComputerStartError,
  ServiceTimeoutError,
  VirtualComputers,
} from '../../../src/client/index.js';
import { type FakeService, startFakeService } from '../../cli/support/fake-service.js';

let service: FakeService;
let vc: VirtualComputers;
beforeEach(async () => {
  service = await startFakeService();
  vc = new VirtualComputers({ baseUrl: service.baseUrl, apiKey: 'vc_key' });
});
afterEach(async () => {
  await vc.close();
  await service.close();
});

const computer = (status: string, more = {}) => ({ id: 'cmp_1', name: 'desk', status, ...more });
const create = (options = {}) => vc.computers.create('shop', { name: 'desk' }, options);

/** Answers `GET C` with one status after another. */
function statuses(...given: object[]): void {
  service.handle('GET /computers/cmp_1', (_, response) =>
    response.end(JSON.stringify(given.length > 1 ? given.shift() : given[0])),
  );
}

it('create resolves when a computer that starts slowly can be used', async () => {
  service.on('POST /projects/shop/computers', computer('starting'));
  statuses(computer('starting'), computer('running'));
  const desk = await create();
  expect(desk).toMatchObject({ id: 'cmp_1', name: 'desk', info: { status: 'running' } });
});

it('create, start, restart and fork reject with the reason of a computer that fails', async () => {
  const failed = computer('error', { status_reason: 'no space' });
  service.on('POST /projects/shop/computers', computer('starting'));
  statuses(failed);
  await expect(create()).rejects.toThrow(ComputerStartError);
  await expect(create()).rejects.toThrow('"desk" did not start: its status is "error": no space');
  for (const verb of ['start', 'restart', 'fork']) {
    service.on(`POST /computers/cmp_1/${verb}`, failed);
  }
  const desk = vc.computer({ id: 'cmp_1' });
  await expect(desk.start()).rejects.toMatchObject({ computer: failed });
  await expect(desk.restart()).rejects.toThrow(ComputerStartError);
  await expect(desk.fork('copy')).rejects.toThrow(ComputerStartError);
});

it('the copy of a stopped computer is stopped', async () => {
  service.on('POST /computers/cmp_1/fork', computer('stopped'));
  expect((await vc.computer({ id: 'cmp_1' }).fork('copy')).info?.status).toBe('stopped');
});

it('create resolves at once with wait: false', async () => {
  service.on('POST /projects/shop/computers', computer('starting'));
  expect((await create({ wait: false })).info?.status).toBe('starting');
  expect(service.received.map(({ url }) => url)).toEqual(['/api/projects/shop/computers?wait=0']);
});

it('create ends at timeoutMs and when it is aborted', async () => {
  service.on('POST /projects/shop/computers', computer('starting'));
  statuses(computer('starting'));
  await expect(create({ timeoutMs: 300 })).rejects.toThrow(ServiceTimeoutError);
  const signal = AbortSignal.timeout(300);
  await expect(create({ signal })).rejects.toMatchObject({ name: 'TimeoutError' });
});

const bash = (more: object) => ({
  ...{ success: true, output: '', stdout: '', stderr: '', exit_code: 0, timed_out: false },
  ...{ truncated: false, ...more },
});

it.each([
  [{ exit_code: 3, stderr: 'first\nlast\n' }, 'the command exited with 3: last'],
  [{ exit_code: null }, 'the command was ended by a signal'],
  [{ exit_code: null, timed_out: true, success: false }, 'the command did not end in time'],
])('bash with check throws for %j', async (result, message) => {
  service.on('POST /computers/cmp_1/bash', bash(result));
  const desk = vc.computer({ id: 'cmp_1' });
  const failure = await desk.bash('x', { check: true }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CommandError);
  expect(failure).toMatchObject({ message, result });
  expect(await desk.bash('x')).toMatchObject(result);
  expect(service.received.map(({ body }) => body)).toEqual([{ command: 'x' }, { command: 'x' }]);
});

it('bash with check resolves for success and for the background; python throws too', async () => {
  const desk = vc.computer({ id: 'cmp_1' });
  service.on('POST /computers/cmp_1/bash', bash({}));
  expect(await desk.bash('x', { check: true })).toMatchObject({ exit_code: 0 });
  service.on('POST /computers/cmp_1/bash', bash({ exit_code: null, pid: 7 }));
  expect(await desk.bash('x', { check: true, background: true })).toMatchObject({ pid: 7 });
  const error = 'Traceback\nValueError: no';
  service.on('POST /computers/cmp_1/exec', { success: false, output: '', error, timed_out: false });
  await expect(desk.python('x', { check: true })).rejects.toThrow('ValueError: no');
});

it('await using closes clients and processes', async () => {
  let closed = false;
  service.onProcess((_, socket) => socket.once('close', () => (closed = true)));
  {
    await using own = new VirtualComputers({ baseUrl: service.baseUrl, apiKey: 'vc_key' });
    await using remote = await own.computer({ id: 'cmp_1' }).process({ argv: ['x'] });
    await remote.stdin.close();
  }
  await expect.poll(() => closed).toBe(true);
});

it('await using deletes a computer that was created, not one that was found', async () => {
  service.on('POST /projects/shop/computers', computer('running'));
  service.on('GET /computers/cmp_1', computer('running'));
  service.fail('DELETE /computers/cmp_1', 404, 'not_found', 'It is gone already.');
  const deletions = () => service.received.filter(({ method }) => method === 'DELETE').length;
  {
    await using found = await vc.computers.get({ id: 'cmp_1' });
    expect(found.name).toBe('desk');
  }
  expect(deletions()).toBe(0);
  {
    await using made = await create();
    expect(made.id).toBe('cmp_1');
  }
  expect(deletions()).toBe(1);
});
