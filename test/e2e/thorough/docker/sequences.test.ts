import Docker from 'dockerode';
import fc from 'fast-check';
import { expect, inject } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import { Model, type ModelStep, NAMES, steps } from '../../../support/lifecycle-model.js';
import { promise } from '../../../support/run/promise.js';
import { outOfBand } from '../../../support/service/out-of-band.js';
import { type Json, openTestService, type TestService } from '../../../support/service/service.js';

/** The number of sequences, which are then random; otherwise three from a fixed seed. */
const REQUESTED = process.env.VC_TEST_SEQUENCES;
const SEQUENCES = Number(REQUESTED ?? 3);
/** Three sequences with this seed cover at least the cases below. */
const SEED = 874;
const COVERED = [
  'create none: limit_reached',
  'out-of-band running, machine running: done',
  'start error, machine none: not_found',
  'start stopped, machine stopped: done',
  'stop running, machine running: done',
  'restart running, machine running: done',
  'remove running, machine running: done',
];
/** Engine events are seen at once, other changes by the next reconciliation. */
const AGREE_MS = 60_000;

/** Steps that are not tried on Docker; engine-away.test.ts tests an unavailable Engine. */
const OTHERS: readonly string[] = ['fork', 'write', 'snapshot', 'reset'];
const sequences = fc.array(
  steps.filter(({ does, away }) => !OTHERS.includes(does) && !away),
  { minLength: 5, maxLength: 9 },
);

const docker = new Docker({ socketPath: inject('dockerHost').replace('unix://', '') });

promise(
  17,
  'service, model and Docker agree after each step of a sequence',
  async (report) => {
    let done = 0;
    const covered = new Set<string>();
    const service = await openTestService();
    try {
      await fc.assert(
        fc.asyncProperty(sequences, async (sequence) => {
          await service.vc.projects.create('demo');
          // Start with two computers, so that most steps have an existing computer.
          const begin: ModelStep[] = NAMES.slice(0, 2).map((name) => ({ does: 'create', name }));
          const model = new Model();
          for (const step of [...begin, ...sequence]) {
            const before = model.expected()[step.name] ?? 'none';
            const answer = await answerTo(service, step);
            expect(answer, JSON.stringify(step)).toBe(model.answerTo(step));
            covered.add(`${step.does} ${before}: ${answer}`);
            await eventually(
              async () => equal(await seen(service), model.expected()),
              AGREE_MS,
            ).catch(async () =>
              expect(await seen(service), JSON.stringify(step)).toEqual(model.expected()),
            );
            done += 1;
          }
          for (const { id } of await computers(service)) {
            await service.http('PATCH', `/computers/${id}`, { protected: false });
          }
          await service.vc.projects.delete('demo');
          expect(await outOfBand(service).leftovers()).toEqual({
            machines: [],
            networks: [],
            directories: [],
          });
        }),
        { numRuns: SEQUENCES, endOnFailure: true, ...(REQUESTED === undefined && { seed: SEED }) },
      );
      if (REQUESTED === undefined) expect([...covered]).toEqual(expect.arrayContaining(COVERED));
    } finally {
      for (const { id } of await computers(service)) {
        await service.http('PATCH', `/computers/${id}`, { protected: false });
      }
      await service.close();
    }
    report(`${done} steps in ${SEQUENCES} sequences, all three agree`);
  },
  1_800_000,
);

const equal = (one: object, other: object) => {
  const sorted = (object: object) => JSON.stringify(Object.entries(object).sort());
  return sorted(one) === sorted(other);
};

async function computers(service: TestService): Promise<Json[]> {
  return (await service.http('GET', '/projects/demo')).json.computers ?? [];
}

/** The result of a step: `done`, or the error's code. */
async function answerTo(service: TestService, step: ModelStep): Promise<string> {
  if (step.does === 'service restart') {
    await service.kill('SIGKILL');
    await service.start();
    return 'done';
  }
  const at = `/projects/demo/computers/${step.name}`;
  switch (step.does) {
    case 'create':
      return answerOf(service, 'POST', '/projects/demo/computers', { name: step.name });
    case 'protect':
      return answerOf(service, 'PATCH', at, { protected: step.on });
    case 'remove':
      return answerOf(service, 'DELETE', at);
    case 'out-of-band':
      return changeContainer(service, step.name, step.what);
    default:
      return answerOf(service, 'POST', `${at}/${step.does}`);
  }
}

async function answerOf(
  { baseUrl, apiKey }: TestService,
  method: string,
  path: string,
  body?: object,
): Promise<string> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  await response.text();
  return response.ok ? 'done' : (response.headers.get('x-error-code') ?? `${response.status}`);
}

/** Changes the container outside the service. */
async function changeContainer(
  service: TestService,
  name: string,
  what: 'ends' | 'runs' | 'vanishes',
): Promise<string> {
  const id = (await computers(service)).find((computer) => computer.name === name)?.id;
  if (id === undefined) return 'not_found';
  const container = docker.getContainer(`vc-${id}`);
  const step = {
    ends: () => container.kill(),
    runs: () => container.start(),
    vanishes: () => container.remove({ force: true }),
  }[what];
  // The container may be in that state already, or be gone.
  await step().catch(({ statusCode }) => expect([304, 404, 409]).toContain(statusCode));
  return 'done';
}

/** The reported status of each computer, and the status of its container. */
async function seen(service: TestService): Promise<Record<string, string>> {
  const states = new Map(
    (await docker.listContainers({ all: true })).map(({ Names, State }) => [Names[0], State]),
  );
  const machine = (id: string) => {
    const state = states.get(`/vc-${id}`);
    if (state === undefined) return 'none';
    return state === 'running' ? 'running' : 'stopped';
  };
  return Object.fromEntries(
    (await computers(service)).map(({ id, name, status }) => [
      name,
      `${status}, machine ${machine(id)}`,
    ]),
  );
}
