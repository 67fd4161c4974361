// @module-tag slow
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CreateComputer } from '../../../src/contract/resources.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';
import { promise } from '../../support/run/promise.js';

const HOUR_MS = 3_600_000;

let test: TestFleet;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] });
  test = await openTestFleet();
});
afterEach(async () => {
  vi.useRealTimers();
  await test.close();
});

const caller = () => test.fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
const create = async (settings: object) => {
  const owner = caller();
  if (test.fleet.projects.list(owner).length === 0) test.fleet.projects.create(owner, 'demo');
  const input = CreateComputer.parse({ name: 'desk', ...settings });
  const project = test.fleet.projects.find(owner, 'demo');
  return (await test.fleet.computers.create(owner, project, input, 'ready')).id;
};
const settled = () => new Promise((resolve) => setImmediate(resolve));
const isThere = async (id: string) => {
  for (let turn = 0; turn < 20; turn++) await settled();
  return test.fleet.computers.present(id) !== undefined;
};
const deleted = (id: string) =>
  vi.waitFor(() => expect(test.fleet.computers.present(id)).toBeUndefined());
/** The audit log of the owner, the newest first. */
const entries = () => test.fleet.auditLog.listOfOwner(caller(), { limit: 9 });
const reasons = () => {
  const any = { types: ['computer.deleted'], project: undefined, computer: undefined };
  const range = { after: 0, last: Number.MAX_SAFE_INTEGER, limit: 100 };
  return test.store.events
    .list(caller().id, { ...any, kinds: ['change'], within: undefined }, range)
    .map(({ data }) => JSON.parse(data));
};

it('deletes a computer when it expires, with an audit entry and a reason in the events', async () => {
  const id = await create({ expires_in: 600 });
  vi.advanceTimersByTime(590_000);
  expect(await isThere(id)).toBe(true);
  vi.advanceTimersByTime(30_000);
  await deleted(id);
  await vi.waitFor(() => expect(entries()).toHaveLength(1));
  const entry = { action: 'expire', key_id: 'service', outcome: 'ok', computer_name: 'desk' };
  expect(entries()).toMatchObject([entry]);
  expect(reasons()).toEqual([{ reason: 'It expired.' }]);
});

it('deletes an idle computer with on_idle "delete", and only stops a protected one', async () => {
  const idle = { auto_stop_minutes: 1, on_idle: 'delete' };
  const id = await create(idle);
  const kept = await create({ ...idle, name: 'kept', protected: true });
  vi.advanceTimersByTime(75_000);
  await deleted(id);
  await vi.waitFor(() => expect(test.fleet.computers.view(kept).status).toBe('stopped'));
  expect(test.fleet.computers.view(kept).status_reason).toBe('It was idle for 1 minute.');
  expect(reasons()).toEqual([{ reason: 'It was idle for 1 minute.' }]);
});

it('keeps a protected computer until it is not protected any more', async () => {
  const id = await create({ expires_in: 600, protected: true });
  vi.advanceTimersByTime(2 * HOUR_MS);
  expect(await isThere(id)).toBe(true);
  test.fleet.computers.update(test.fleet.computers.find(caller(), { id }), { protected: false });
  vi.advanceTimersByTime(15_000);
  await deleted(id);
});

it('a computer that expired while the service was down is deleted after an hour', async () => {
  const id = await create({ expires_in: 600 });
  vi.setSystemTime(Date.now() + 700_000);
  test = await test.restart();
  vi.advanceTimersByTime(HOUR_MS - 60_000);
  expect(await isThere(id)).toBe(true);
  vi.advanceTimersByTime(90_000);
  await deleted(id);
});

promise(30, 'a jump of the clock by a year deletes nothing that expires later', async (report) => {
  const id = await create({ expires_in: 2 * 3600 });
  const year = 365 * 24 * HOUR_MS;
  vi.setSystemTime(Date.now() + year);
  vi.advanceTimersByTime(45 * 60_000);
  expect(await isThere(id)).toBe(true);
  // One that is made by the wrong clock expires by it.
  const short = await create({ name: 'short', expires_in: 60 });
  vi.advanceTimersByTime(75_000);
  await deleted(short);
  vi.setSystemTime(Date.now() - year);
  vi.advanceTimersByTime(HOUR_MS);
  expect(await isThere(id)).toBe(true);
  vi.advanceTimersByTime(HOUR_MS);
  await deleted(id);
  report('expiry with the clock a year ahead for 45 minutes');
});
