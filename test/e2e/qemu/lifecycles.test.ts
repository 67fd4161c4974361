import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { Model, type ModelStep, NAMES } from '../../support/lifecycle-model.js';
import { makeToyDisk } from '../../support/qemu/toy-disk.js';
import { promise } from '../../support/run/promise.js';
import { inTier } from '../../support/run/tiers.js';
import { outOfBand } from '../../support/service/out-of-band.js';
import { type Json, openTestService, type TestService } from '../../support/service/service.js';
import { rested, vitals } from '../../support/service/vitals.js';

const LIFECYCLES = inTier({ thorough: 4, quick: 2 });

/** Computers that show a boot menu: they start in a second, even if they are emulated. */
let service: TestService;
beforeAll(async () => {
  service = await openTestService([], { qemuSeed: '' });
  const disk = join(service.directory, 'disk.img');
  await makeToyDisk(disk);
  const words = ['image', 'import', 'toy', disk, '--os', 'windows', '--no-shell'];
  const imported = await service.cli(words);
  expect(imported.code, imported.stderr).toBe(0);
  await service.vc.projects.create('demo');
});
afterEach(async () => {
  for (const { id } of await computers()) await http('DELETE', `/computers/${id}`);
});
afterAll(() => service.close());

const http = (method: string, path: string, body?: object) => service.http(method, path, body);
const computers = async (): Promise<Json[]> => (await http('GET', '/projects/demo')).json.computers;
const done = async (method: string, path: string, body?: object): Promise<Json> => {
  const { status, json } = await http(method, path, body);
  expect(status, `${method} ${path}: ${JSON.stringify(json).slice(0, 300)}`).toBe(200);
  return json;
};
const nothing = { machines: [], networks: [], directories: [] };

async function live(name: string): Promise<void> {
  const { id } = await done('POST', '/projects/demo/computers', { name, image: 'toy' });
  const use = async () => {
    for (const format of ['png', 'jpeg&quality=60', 'webp&scale=0.5']) {
      await done('GET', `/computers/${id}/screenshot?format=${format}`);
    }
    await done('POST', `/computers/${id}/key`, { key: 'Down' });
  };
  await use();
  await done('POST', `/computers/${id}/stop`);
  await done('POST', `/computers/${id}/start`);
  await use();
  await done('DELETE', `/computers/${id}`);
}

promise(22, 'created, used and deleted machines leave nothing behind', async (report) => {
  // Resources of the first use remain.
  await live('first');
  const before = await rested(service.pid, vitals(service.pid).descriptors);
  for (let i = 0; i < LIFECYCLES; i++) await live(`c${i}`);
  const after = await rested(service.pid, before.descriptors + 5);
  expect(after.children).toBe(before.children);
  expect(await outOfBand(service).leftovers()).toEqual(nothing);
  const used = `descriptors ${before.descriptors}, ${after.descriptors} after`;
  report(`${LIFECYCLES} lifecycles; ${used}; nothing left`);
});

const [one, two, three] = NAMES;
const STEPS: readonly ModelStep[] = [
  { does: 'create', name: one },
  { does: 'create', name: two },
  { does: 'create', name: three },
  { does: 'create', name: two },
  { does: 'out-of-band', what: 'ends', name: one },
  { does: 'create', name: three },
  { does: 'start', name: one },
  { does: 'stop', name: two },
  { does: 'start', name: one },
  { does: 'protect', on: true, name: one },
  { does: 'remove', name: one },
  { does: 'service restart', name: one },
  { does: 'stop', name: three },
  { does: 'restart', name: one },
  { does: 'protect', on: false, name: one },
  { does: 'out-of-band', what: 'vanishes', name: three },
  { does: 'remove', name: three },
  { does: 'remove', name: one },
  { does: 'start', name: one },
  { does: 'remove', name: two },
];

promise.thorough(
  17,
  'service, model and QEMU agree after each step of a sequence',
  async (report) => {
    const model = new Model();
    for (const [at, step] of STEPS.entries()) {
      const what = `step ${at + 1}: ${JSON.stringify(step)}`;
      expect(await answerTo(step), what).toBe(model.answerTo(step));
      await eventually(async () => equal(await seen(), model.expected()), 30_000).catch(async () =>
        expect(await seen(), what).toEqual(model.expected()),
      );
    }
    expect(await outOfBand(service).leftovers()).toEqual(nothing);
    report(`${STEPS.length} steps, all three agree`);
  },
);

const equal = (one: object, other: object) => {
  const sorted = (object: object) => JSON.stringify(Object.entries(object).sort());
  return sorted(one) === sorted(other);
};

/** The result of a step: `done`, or the error's code. */
async function answerTo(step: ModelStep): Promise<string> {
  const at = `/projects/demo/computers/${step.name}`;
  switch (step.does) {
    case 'service restart':
      await service.kill('SIGKILL');
      await service.start();
      return 'done';
    case 'create':
      return answerOf('POST', '/projects/demo/computers', { name: step.name, image: 'toy' });
    case 'protect':
      return answerOf('PATCH', at, { protected: step.on });
    case 'remove':
      return answerOf('DELETE', at);
    case 'out-of-band': {
      const { id } = (await computers()).find(({ name }: Json) => name === step.name);
      const outside = outOfBand(service);
      await (step.what === 'ends' ? outside.kill(id) : outside.remove(id));
      return 'done';
    }
    default:
      return answerOf('POST', `${at}/${step.does}`);
  }
}

async function answerOf(method: string, path: string, body?: object): Promise<string> {
  const response = await fetch(service.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  await response.text();
  return response.ok ? 'done' : (response.headers.get('x-error-code') ?? `${response.status}`);
}

/** The reported status of each computer, and the state of its machine. */
async function seen(): Promise<Record<string, string>> {
  const directories = readdirSync(join(service.directory, 'state/qemu/machines'));
  const states = (await computers()).map(async ({ id, name, status }) => {
    const isRunning = (await outOfBand(service).pids(id)).length > 0;
    const machine = isRunning ? 'running' : directories.includes(id) ? 'stopped' : 'none';
    // A QEMU that was killed is reported; otherwise its machine is like a stopped one.
    const shown = status === 'error' && machine === 'stopped' ? 'stopped' : status;
    return [name, `${shown}, machine ${machine}`] as const;
  });
  return Object.fromEntries(await Promise.all(states));
}
