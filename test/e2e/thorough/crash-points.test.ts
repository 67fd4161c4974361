import { afterAll, beforeAll, expect, inject } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { promise } from '../../support/run/promise.js';
import { type CrashingService, makeCrashing } from '../../support/service/crash-points.js';
import { untilRunning } from '../../support/service/desktop.js';
import { outOfBand } from '../../support/service/out-of-band.js';
import { type Json, openTestService, type TestService } from '../../support/service/service.js';

/** Visits every n-th point; on QEMU not all by default, since each may need an emulated boot. */
const EVERY = Number(process.env.VC_TEST_CRASH_EVERY ?? (inject('engine') === 'docker' ? 1 : 12));
const SETTLE_MS = inject('engine') === 'docker' ? 120_000 : 600_000;

let service: TestService;
let crashing: CrashingService;
let bystander: string;

beforeAll(async () => {
  service = await openTestService(['--max-running', '9']);
  crashing = await makeCrashing(service);
  await service.vc.projects.create('bystanders');
  bystander = (await create('bystanders', 'witness')).id;
  await untilRunning(service, bystander);
  // In memory, so a restart of the machine removes it.
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

/** With root, containers have no directory on the host. */
const isRoot = process.getuid?.() === 0;

/** Waits until no step is in progress and no orphan is left. */
async function settled(): Promise<Json[]> {
  const found = await eventually(async () => {
    const all = await computers();
    return all.every(({ status }) => ['running', 'stopped', 'error'].includes(status)) && all;
  }, SETTLE_MS);
  expect(found.filter(({ status }) => status === 'error')).toEqual([]);
  const ids: string[] = found.map(({ id }) => id);
  await eventually(async () => {
    const { machines, networks, directories } = await outOfBand(service).leftovers();
    // On Docker all machines are listed, on QEMU only running ones, which may share networks.
    const expected = ids.length;
    const runs = found.filter(({ status }) => status === 'running').length;
    const isDocker = inject('engine') === 'docker';
    return (
      directories.length === (isDocker && isRoot ? 0 : expected) &&
      machines.length === (isDocker ? expected : runs) &&
      (isDocker ? networks.length === expected : networks.every((text) => isOf(text, ids)))
    );
  }, SETTLE_MS).catch(async (cause) => {
    const left = JSON.stringify(await outOfBand(service).leftovers());
    throw new Error(`left at "${crashing.lastPoint()}": ${left}, of ${ids.join()}`, { cause });
  });
  return found;
}

function isOf(text: string, ids: readonly string[]): boolean {
  return ids.some((id) => text.includes(id));
}

interface Visit {
  /** The first point that the step did not reach; undefined until it is known. */
  end?: number;
  visited: number;
}

promise(
  11,
  'after SIGKILL at any point of a step, a computer is complete and usable, or gone',
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

    /** Performs the step and kills the service at that point, if the step reaches it. */
    const visit = async (step: string, point: number, work: () => Promise<unknown>) => {
      const record = visits.get(step);
      if (record === undefined || record.end !== undefined) {
        await work();
        return;
      }
      if (await crashing.crashAt(point, work)) record.visited += 1;
      else record.end = point;
    };
    /** Whether points of the step are left to visit. */
    const isOpen = (step: string) => visits.get(step) !== undefined && !visits.get(step)?.end;
    const subject = async () => (await settled()).find(({ name }) => name === 'subject');
    /** Expects that the computer starts, runs a command, and kept its disk. */
    const usable = async (id: string, file = '') => {
      const { json } = await http('POST', `/computers/${id}/start`);
      expect(json, `after "${crashing.lastPoint()}"`).toMatchObject({ id });
      await untilRunning(service, id, SETTLE_MS);
      expect(await bash(id, 'cat ~/kept 2>/dev/null || echo new')).toBe(`${file || 'new'}\n`);
    };

    for (let point = 1; [...visits.values()].some(({ end }) => end === undefined); point += EVERY) {
      await http('POST', '/projects', { name: 'crashes' });
      await visit('create', point, () =>
        http('POST', '/projects/crashes/computers', { name: 'subject' }),
      );
      const { id } = (await subject()) ?? (await create('crashes', 'subject'));
      await untilRunning(service, id, SETTLE_MS);
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
        const copy = (await settled()).find(({ name }) => name === 'copy');
        if (copy) await usable(copy.id, 'kept');
        await usable(id, 'kept');
        if (copy) await http('DELETE', `/computers/${copy.id}`);
      }

      if (isOpen('rm')) {
        await visit('rm', point, () => http('DELETE', `/computers/${id}`));
        // It still exists if the crash came before the intent was written.
        const left = await subject();
        if (left) await usable(left.id, 'kept');
        else await create('crashes', 'subject');
      }
      await visit('project rm', point, () => http('DELETE', '/projects/crashes'));
      await eventually(async () => {
        const { status, json } = await http('GET', '/projects/crashes');
        return status === 404 || json.status === 'active';
      }, SETTLE_MS);
      const remaining = await subject();
      if (remaining) await usable(remaining.id, remaining.id === id ? 'kept' : '');
      await http('DELETE', '/projects/crashes');
      expect((await settled()).map(({ id }) => id)).toEqual([bystander]);
      expect(await bash(bystander, 'test -e /tmp/never-restarted')).toBe('');
    }

    const counts = [...visits].map(
      ([step, { end, visited }]) => `${step} ${visited} of ${(end ?? 1) - 1}`,
    );
    const share = EVERY === 1 ? 'every point' : `every ${EVERY}th point`;
    report(`${share}: ${counts.join(', ')}`);
  },
  3_600_000,
);
