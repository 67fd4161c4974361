import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';
import { type CrashingService, makeCrashing } from '../../support/service/crash-points.js';
import { untilRunning } from '../../support/service/desktop.js';
import { outOfBand } from '../../support/service/out-of-band.js';
import { type Json, openTestService, type TestService } from '../../support/service/service.js';

/** Visits every n-th point; on Podman and QEMU few by default: each takes long. */
const EVERY = Number(process.env.VC_TEST_CRASH_EVERY ?? (inject('engine') === 'docker' ? 1 : 6));
const SETTLE_MS = inject('engine') === 'docker' ? 120_000 : 600_000;
const STEPS = ['snapshot', 'reset', 'fork', 'image', 'image rm', 'snapshot rm'] as const;
type Step = (typeof STEPS)[number] | 'build';

let service: TestService;
let crashing: CrashingService;
let id: string;

beforeAll(async () => {
  service = await openTestService(['--max-running', '9']);
  crashing = await makeCrashing(service);
  await service.vc.projects.create('e2e');
  id = (await http('POST', '/projects/e2e/computers', { name: 'subject' })).json.id;
  await untilRunning(service, id);
});
afterAll(() => service.close());

const http = (method: string, path: string, body?: object) => service.http(method, path, body);
const bash = async (computer: string, command: string): Promise<string> => {
  const { status, json } = await http('POST', `/computers/${computer}/bash`, { command });
  expect([status, json.exit_code], `${JSON.stringify(json)} at ${crashing.lastPoint()}`).toEqual([
    200, 0,
  ]);
  return json.stdout;
};
const kept = (computer: string) => bash(computer, 'cat ~/kept');

/** Waits until no step is in progress; none may have failed. */
async function settled(): Promise<Json[]> {
  const found = await eventually(async () => {
    const all: Json[] = (await http('GET', '/computers')).json.computers;
    return all.every(({ status }) => ['running', 'stopped', 'error'].includes(status)) && all;
  }, SETTLE_MS);
  expect(found.filter(({ status }) => status === 'error')).toEqual([]);
  return found;
}

/** The computer of that name, once it runs; undefined if there is none. */
async function settledAs(name: string): Promise<string | undefined> {
  const found = (await settled()).find((computer) => computer.name === name);
  if (found === undefined) return undefined;
  if (found.status !== 'running') await http('POST', `/computers/${found.id}/start`);
  await untilRunning(service, found.id, SETTLE_MS);
  return found.id;
}

/** Numbers of the points of steps, and whether all were visited. */
class Visits {
  readonly #steps = new Map<Step, { visited: number; end?: number }>();

  isOpen(step: Step): boolean {
    return this.#steps.get(step)?.end === undefined;
  }

  /** Performs the step, and kills the service at that point, if the step reaches it. */
  async visit(step: Step, point: number, work: () => Promise<unknown>): Promise<void> {
    const record = this.#steps.get(step) ?? { visited: 0 };
    this.#steps.set(step, record);
    if (record.end !== undefined) await work();
    else if (await crashing.crashAt(point, work)) record.visited += 1;
    else record.end = point;
  }

  toString(): string {
    const counts = [...this.#steps].map(
      ([step, { visited, end = 1 }]) => `${step} ${visited} of ${end - 1}`,
    );
    return `${EVERY === 1 ? 'every point' : `every ${EVERY}th point`}: ${counts.join(', ')}`;
  }
}

const exists = async (path: string) => {
  const { status } = await http('GET', path);
  expect([200, 404]).toContain(status);
  return status === 200;
};
const snapshots = async (): Promise<Json[]> =>
  (await http('GET', `/computers/${id}/snapshots`)).json.snapshots;

promise(
  31,
  'after SIGKILL at any point, a snapshot, a copy and an image are complete or gone',
  async (report) => {
    const visits = new Visits();
    const image = { name: 'made', computer: id, snapshot: 'one' };
    for (let point = 1; STEPS.some((step) => visits.isOpen(step)); point += EVERY) {
      await bash(id, `echo ${point} >~/kept; sync`);
      const snapshot = () => http('POST', `/computers/${id}/snapshots`, { name: 'one' });
      await visits.visit('snapshot', point, snapshot);
      expect(await kept(id)).toBe(`${point}\n`);
      if ((await snapshots()).length === 0) expect((await snapshot()).status).toBe(200);

      await bash(id, 'echo changed >~/kept; sync');
      const reset = () => http('POST', `/computers/${id}/reset`, { snapshot: 'one' });
      await visits.visit('reset', point, reset);
      expect(await settledAs('subject')).toBe(id);
      if ((await kept(id)) === 'changed\n') expect((await reset()).status).toBe(200);
      expect(await kept(id)).toBe(`${point}\n`);

      await visits.visit('fork', point, () =>
        http('POST', `/computers/${id}/fork`, { name: 'copy', snapshot: 'one' }),
      );
      const copy = await settledAs('copy');
      if (copy !== undefined) {
        expect(await kept(copy)).toBe(`${point}\n`);
        await http('DELETE', `/computers/${copy}`);
      }

      await visits.visit('image', point, () => http('POST', '/images', image));
      if (!(await exists('/images/made'))) {
        expect((await http('POST', '/images', image)).status).toBe(200);
      }
      if (point === 1 || visits.isOpen('image')) {
        await http('POST', '/projects/e2e/computers', { name: 'new', image: 'made' });
        const created = (await settledAs('new')) ?? '';
        expect(await kept(created)).toBe(`${point}\n`);
        await http('DELETE', `/computers/${created}`);
      }

      await visits.visit('image rm', point, () => http('DELETE', '/images/made'));
      if (await exists('/images/made')) {
        expect((await http('DELETE', '/images/made')).status).toBe(200);
      }
      const remove = () => http('DELETE', `/computers/${id}/snapshots/one`);
      await visits.visit('snapshot rm', point, remove);
      if ((await snapshots()).length > 0) expect((await remove()).status).toBe(200);
      expect((await settled()).map(({ name }) => name)).toEqual(['subject']);
      expect(await kept(id)).toBe(`${point}\n`);
    }
    // Its disk builds on the snapshot that it was put back to.
    expect((await http('POST', `/computers/${id}/reset`, {})).status).toBe(200);
    const left = () => outOfBand(service).saved();
    await eventually(async () => (await left()).length === 0, SETTLE_MS).catch(async (cause) => {
      throw new Error(`left: ${await left()}`, { cause });
    });
    report(`${visits}`);
  },
  3_600_000,
);

promise(
  31,
  'after SIGKILL at any point of a build, its image is complete or there is none',
  async (report) => {
    const visits = new Visits();
    const directory = join(service.directory, 'context');
    mkdirSync(directory, { recursive: true });
    for (let point = 1; visits.isOpen('build'); point += EVERY) {
      writeFileSync(
        join(directory, 'Dockerfile'),
        `FROM linux\nRUN echo ${point} >/kept\nRUN echo two >>/kept\n`,
      );
      const build = async () => {
        const { code, stderr } = await service.cli(['image', 'build', directory, '-t', 'built']);
        if (code !== 0) throw new Error(stderr);
      };
      await visits.visit('build', point, build);
      await eventually(async () => {
        const projects: Json[] = (await http('GET', '/projects')).json.projects;
        return projects.every(({ name }) => name === 'e2e');
      }, SETTLE_MS);
      expect((await settled()).map(({ name }) => name)).toEqual(['subject']);
      // A build whose image is complete is not repeated.
      if (!(await exists('/images/built'))) await build();
      await http('POST', '/projects/e2e/computers', { name: 'new', image: 'built' });
      const created = (await settledAs('new')) ?? '';
      expect(await bash(created, 'cat /kept')).toBe(`${point}\ntwo\n`);
      await http('DELETE', `/computers/${created}`);
      expect((await http('DELETE', '/images/built')).status).toBe(200);
    }
    report(`${visits}`);
  },
  3_600_000,
);
