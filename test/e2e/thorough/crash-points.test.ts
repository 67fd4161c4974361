import { afterAll, beforeAll, expect, inject } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';
import { type CrashingService, makeCrashing } from '../../support/service/crash-points.js';
import { untilRunning } from '../../support/service/desktop.js';
import { outOfBand } from '../../support/service/out-of-band.js';
import { type Json, openTestService, type TestService } from '../../support/service/service.js';

/** Visits every n-th point. On QEMU, where each may cost an emulated boot, not all by default. */
const EVERY = Number(process.env.VC_TEST_CRASH_EVERY ?? (inject('engine') === 'docker' ? 1 : 12));
const AT_REST_MS = inject('engine') === 'docker' ? 120_000 : 600_000;

let service: TestService;
let crashing: CrashingService;
let bystander: string;

beforeAll(async () => {
  service = await openTestService(['--max-running', '9']);
  crashing = await makeCrashing(service);
  await service.vc.projects.create('bystanders');
  bystander = (await create('bystanders', 'witness')).id;
  await untilRunning(service, bystander);
  // Gone as soon as the machine is anything but the one that was started.
  await bash(bystander, 'touch /tmp/never-restarted');
});
afterAll(() => service.close());

const http = (method: string, path: string, body?: object) => service.http(method, path, body);
const create = async (project: string, name: string): Promise<Json> => {
  const { status, json } = await http('POST', `/projects/${project}/computers`, { name });
  expect(status, JSON.stringify(json)).toBe(200);
  return json;
};
const bash = async (id: string, command: string): Promise<Json> => {
  const { status, json } = await http('POST', `/computers/${id}/bash`, { command });
  expect([status, json.exit_code], JSON.stringify(json)).toEqual([200, 0]);
  return json.stdout;
};
const computers = async (): Promise<Json[]> => {
  const projects: Json[] = (await http('GET', '/projects')).json.projects;
  const lists = projects.map(({ id }) => http('GET', `/projects/${id}`));
  return (await Promise.all(lists)).flatMap(({ json }) => json.computers ?? []);
};

/** Its containers have no directory on the host. */
const isRoot = process.getuid?.() === 0;

/** Waits until all is done that was intended, and nothing is there that no computer owns. */
async function atRest(): Promise<Json[]> {
  const found = await eventually(async () => {
    const all = await computers();
    return all.every(({ status }) => ['running', 'stopped', 'error'].includes(status)) && all;
  }, AT_REST_MS);
  expect(found.filter(({ status }) => status === 'error')).toEqual([]);
  const ids: string[] = found.map(({ id }) => id);
  await eventually(async () => {
    const { machines, networks, directories } = await outOfBand(service).leftovers();
    // QEMU's are processes, of which those run that run, with one or more for the network.
    const expected = ids.length;
    const runs = found.filter(({ status }) => status === 'running').length;
    const isDocker = inject('engine') === 'docker';
    return (
      directories.length === (isDocker && isRoot ? 0 : expected) &&
      machines.length === (isDocker ? expected : runs) &&
      (isDocker ? networks.length === expected : networks.every((text) => isOf(text, ids)))
    );
  }, AT_REST_MS).catch(async (cause) => {
    const left = JSON.stringify(await outOfBand(service).leftovers());
    throw new Error(`left at "${crashing.lastPoint()}": ${left}, of ${ids.join()}`, { cause });
  });
  return found;
}

function isOf(text: string, ids: readonly string[]): boolean {
  return ids.some((id) => text.includes(id));
}

interface Visit {
  /** Its first point that was not reached, once that is known. */
  end?: number;
  visited: number;
}

promise(
  11,
  'killed at any point of a step, a computer is whole and usable, or gone',
  async (report) => {
    const canFork = inject('engine') === 'qemu';
    const steps = [
      'create',
      'stop',
      'start',
      'restart',
      ...(canFork ? ['fork'] : []),
      'rm',
      'project rm',
    ];
    const visits = new Map<string, Visit>(steps.map((step) => [step, { visited: 0 }]));

    /** The step is done with the service killed at that point, if it has so many. */
    const visit = async (step: string, point: number, work: () => Promise<unknown>) => {
      const record = visits.get(step);
      if (record === undefined || record.end !== undefined) {
        await work();
        return;
      }
      if (await crashing.crashAt(point, work)) record.visited += 1;
      else record.end = point;
    };
    /** Not all of its points have been visited. */
    const isOpen = (step: string) => visits.get(step) !== undefined && !visits.get(step)?.end;
    const subject = async () => (await atRest()).find(({ name }) => name === 'subject');
    /** Runs, answers, and kept its disk. */
    const usable = async (id: string, file = '') => {
      const { json } = await http('POST', `/computers/${id}/start`);
      expect(json, `after "${crashing.lastPoint()}"`).toMatchObject({ id });
      await untilRunning(service, id, AT_REST_MS);
      expect(await bash(id, 'cat ~/kept 2>/dev/null || echo new')).toBe(`${file || 'new'}\n`);
    };

    for (let point = 1; [...visits.values()].some(({ end }) => end === undefined); point += EVERY) {
      await http('POST', '/projects', { name: 'crashes' });
      await visit('create', point, () =>
        http('POST', '/projects/crashes/computers', { name: 'subject' }),
      );
      const made = (await subject()) ?? (await create('crashes', 'subject'));
      const { id } = made;
      // Whole: it runs, or is about to.
      await untilRunning(service, id, AT_REST_MS);
      await usable(id);
      await bash(id, 'echo kept > ~/kept; sync');

      if (isOpen('stop') || isOpen('start')) {
        await visit('stop', point, () => http('POST', `/computers/${id}/stop`));
        expect(['running', 'stopped']).toContain((await subject())?.status);
        await http('POST', `/computers/${id}/stop`);
        await visit('start', point, () => http('POST', `/computers/${id}/start`));
        expect(['running', 'stopped']).toContain((await subject())?.status);
        await usable(id, 'kept');
      }
      if (isOpen('restart')) {
        await visit('restart', point, () => http('POST', `/computers/${id}/restart`));
        expect((await subject())?.status).toBe('running');
        await usable(id, 'kept');
      }
      if (isOpen('fork')) {
        await visit('fork', point, () => http('POST', `/computers/${id}/fork`, { name: 'copy' }));
        const copy = (await atRest()).find(({ name }) => name === 'copy');
        if (copy) await usable(copy.id, 'kept');
        await usable(id, 'kept');
        if (copy) await http('DELETE', `/computers/${copy.id}`);
      }

      if (isOpen('rm')) {
        await visit('rm', point, () => http('DELETE', `/computers/${id}`));
        // Before its intent was written nothing had begun.
        const left = await subject();
        if (left) await usable(left.id, 'kept');
        else await create('crashes', 'subject');
      }
      await visit('project rm', point, () => http('DELETE', '/projects/crashes'));
      await eventually(async () => {
        const { status, json } = await http('GET', '/projects/crashes');
        return status === 404 || json.status === 'active';
      }, AT_REST_MS);
      const remaining = await subject();
      if (remaining) await usable(remaining.id, remaining.id === id ? 'kept' : '');
      await http('DELETE', '/projects/crashes');
      expect((await atRest()).map(({ id }) => id)).toEqual([bystander]);
      expect(await bash(bystander, 'test -e /tmp/never-restarted')).toBe('');
    }

    const told = [...visits].map(
      ([step, { end, visited }]) => `${step} ${visited} of ${(end ?? 1) - 1}`,
    );
    const share = EVERY === 1 ? 'every point' : `every ${EVERY}th point`;
    report(`${share}: ${told.join(', ')}`);
  },
  3_600_000,
);
