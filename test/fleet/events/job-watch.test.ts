// @module-tag slow
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ServiceEvent } from '../../../src/contract/events.js';
import { serializeEvent } from '../../../src/fleet/events/serializer.js';
import type { JobState, Jobs } from '../../../src/shell/jobs/types.js';
import { eventually } from '../../support/eventually.js';
import { fakeConnectors } from '../../support/fake-connectors.js';
import { openTestFleet, type TestFleet, wanted } from '../../support/fleet.js';

let world: TestFleet;
let id: string;
/** Jobs of the guest; a question is answered when one of its jobs has ended or is gone. */
let jobs: Map<string, JobState>;
let questions: (readonly string[])[];
let started: number;

const ENDED = new Date('2026-01-02T03:04:05.678Z');
const job = (name: string, exitCode?: number) =>
  ({
    id: name,
    status: exitCode === undefined ? 'running' : 'exited',
    exitCode: exitCode ?? null,
    endedAt: exitCode === undefined ? null : ENDED,
  }) as JobState;

beforeEach(async () => {
  [jobs, questions, started] = [new Map(), [], 0];
  const connectors = fakeConnectors();
  connect(connectors);
  world = await openTestFleet({ connectors });
  const project = world.fleet.projects.create(owner(), 'p');
  const row = world.fleet.projects.find(owner(), project.id);
  ({ id } = await world.fleet.computers.create(owner(), row, wanted('desk'), 'ready'));
});
afterEach(() => world.close());

function connect(connectors: ReturnType<typeof fakeConnectors>): void {
  const { openShell } = connectors;
  const settled: Jobs['settled'] = async (ids, _, signal) => {
    questions.push(ids);
    const isDone = () => ids.some((one) => jobs.get(one)?.status !== 'running');
    while (!isDone()) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      signal?.throwIfAborted();
    }
    return ids.flatMap((one) => jobs.get(one) ?? []);
  };
  Object.assign(connectors, {
    openShell: async (...given: Parameters<typeof openShell>) => {
      const shell = await openShell(...given);
      const run: typeof shell.run = async (input) => {
        if (!input.background) return shell.run(input);
        started += 1;
        const result = {
          stdout: '',
          stderr: '',
          exitCode: null,
          timedOut: false,
          truncated: false,
        };
        return { ...result, pid: 7, jobId: `job_${started}` };
      };
      return Object.assign(Object.create(shell), { run, jobs: { ...shell.jobs, settled } });
    },
  });
}

const owner = () => {
  const found = world.fleet.apiKeys.authenticate(world.key);
  if (found === undefined) throw new Error('no owner');
  return found;
};
const record = () => world.fleet.computers.find(owner(), { id });

async function start(): Promise<string> {
  const name = `job_${started + 1}`;
  jobs.set(name, job(name));
  await world.fleet.actions.bash(record(), { command: 'x', background: true, timeout: 5 });
  return name;
}

/** The reported ends as clients see them. */
function reported(): Extract<ServiceEvent, { type: 'job.exited' }>[] {
  const { events } = world.store;
  const filter = {
    kinds: ['change'],
    types: ['job.exited'],
    project: 'p',
    computer: 'desk',
    within: undefined,
  } as const;
  const rows = events.list(owner().id, filter, { after: 0, last: events.lastId(), limit: 100 });
  return rows.map(serializeEvent).filter((event) => event.type === 'job.exited');
}

/** The ends that were reported, as `ID CODE`. */
const ends = () => reported().map(({ id: name, exit_code }) => `${name} ${exit_code}`);

it('reports the end of each background command once', async () => {
  const [first, second] = [await start(), await start()];
  await eventually(async () => questions.at(-1)?.length === 2);
  jobs.set(second, job(second, 3));
  await eventually(async () => ends().join() === 'job_2 3');
  jobs.delete(first);
  await eventually(async () => ends().join() === 'job_2 3,job_1 null');
  await eventually(async () => world.store.watchedJobs.computers().length === 0);
});

it('says when the command ended; nobody knows it of a lost one', async () => {
  const [first, second] = [await start(), await start()];
  await eventually(async () => questions.at(-1)?.length === 2);
  jobs.set(first, job(first, 0));
  jobs.delete(second);
  await eventually(async () => reported().length === 2);
  expect(reported().map(({ id: name, ended_at }) => [name, ended_at])).toEqual([
    ['job_1', ENDED.toISOString()],
    ['job_2', null],
  ]);
});

it('reports an end once that a client was told first, before it stops the computer', async () => {
  const [first, second] = [await start(), await start()];
  world.fleet.jobWatch.seen(record(), [job(first, 5), job(second)]);
  expect(ends()).toEqual(['job_1 5']);
  jobs.set(first, job(first, 5));
  jobs.set(second, job(second, 6));
  await eventually(async () => world.store.watchedJobs.computers().length === 0);
  expect(ends()).toEqual(['job_1 5', 'job_2 6']);
});

it('reports an end that it was not there for, after a restart', async () => {
  const name = await start();
  world = await world.restart();
  jobs.set(name, job(name, 0));
  await eventually(async () => ends().join() === 'job_1 0');
});

it('reports the jobs of a computer that was stopped as lost', async () => {
  await start();
  await eventually(async () => questions.length > 0);
  await world.fleet.computers.stop(record());
  await eventually(async () => ends().join() === 'job_1 null');
});

it('forgets the jobs of a computer that was deleted', async () => {
  await start();
  await world.fleet.computers.remove(record());
  await eventually(async () => world.store.watchedJobs.computers().length === 0);
  expect(ends()).toEqual([]);
});
