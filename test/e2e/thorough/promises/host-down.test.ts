import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from 'vitest';
import { currentBootId, parseStat } from '../../../../src/lib/process/identity.js';
import { eventually } from '../../../support/eventually.js';
import { promise } from '../../../support/run/promise.js';
import { untilRunning } from '../../../support/service/desktop.js';
import { outOfBand } from '../../../support/service/out-of-band.js';
import { type Json, openTestService, type TestService } from '../../../support/service/service.js';

const isQemu = inject('engine') === 'qemu';

let service: TestService;
let bystander: ChildProcess;
beforeAll(async () => {
  service = await openTestService();
  bystander = spawn('sleep', ['3600'], { stdio: 'ignore' });
});
beforeEach(async () => void (await service.vc.projects.create('host')));
afterEach(async () => void (await service.vc.projects.delete('host')));
afterAll(async () => {
  await service.close();
  bystander.kill('SIGKILL');
});

const http = (method: string, path: string, body?: object) => service.http(method, path, body);
const create = async (name: string): Promise<string> => {
  const { status, json } = await http('POST', '/projects/host/computers', { name });
  expect(status, JSON.stringify(json)).toBe(200);
  await untilRunning(service, json.id);
  return json.id;
};
const bash = async (id: string, command: string): Promise<string> =>
  (await http('POST', `/computers/${id}/bash`, { command })).json.stdout;
const look = async (id: string): Promise<Json> => (await http('GET', `/computers/${id}`)).json;

/** Kills the service and the machines, calls `meanwhile`, and starts the service again. */
async function hostGoesDown(meanwhile: () => Promise<void>): Promise<void> {
  await service.kill('SIGKILL');
  await outOfBand(service).powerOff();
  await meanwhile();
  await service.start();
}

/** Whether the bystander still runs. */
const bystanderRuns = () => bystander.exitCode === null && bystander.signalCode === null;

interface GuestIdentity {
  readonly bootId: string;
  readonly startTime: number;
}

/**
 * Replaces the recorded process of a machine's QEMU by the bystander, as if its process id had
 * been reused, with the given boot id and start time.
 */
function reusePid(id: string, { bootId, startTime }: GuestIdentity): void {
  const path = join(service.directory, 'state', 'qemu', 'machines', id, 'process');
  const before = readFileSync(path, 'utf8');
  expect(before).toMatch(/^boot \S+ \d+\npid \d+ \d+\n$/);
  const uid = process.getuid?.() ?? 0;
  writeFileSync(path, `boot ${bootId} ${uid}\npid ${bystander.pid} ${startTime}\n`);
}

async function bystanderIdentity(): Promise<GuestIdentity> {
  const { startTime } = parseStat(readFileSync(`/proc/${bystander.pid}/stat`, 'utf8'));
  return { bootId: await currentBootId(), startTime: startTime ?? 0 };
}

promise(
  13,
  'after a crash of the host, computers are stopped and start again with their disks',
  async (report) => {
    const ids = [await create('one'), ...(isQemu ? [] : [await create('two')])];
    for (const id of ids) {
      await bash(id, `echo ${id} >~/file; (sleep 4321 >/dev/null 2>&1 &); sync`);
    }
    await hostGoesDown(async () => {
      if (!isQemu) return;
      // Another boot; process id and start time are those of the bystander.
      const { startTime } = await bystanderIdentity();
      for (const id of ids) reusePid(id, { bootId: randomUUID(), startTime });
    });
    for (const id of ids) {
      await eventually(async () => (await look(id)).status === 'stopped', 60_000).catch(async () =>
        expect(await look(id)).toMatchObject({ status: 'stopped' }),
      );
      expect((await look(id)).status_reason).toContain('outside of this service');
    }
    for (const id of ids) {
      expect(['starting', 'running']).toContain(
        (await http('POST', `/computers/${id}/start`)).json.status,
      );
      await untilRunning(service, id);
      expect(await bash(id, 'cat ~/file; pgrep -f "^sleep 4321"')).toBe(`${id}\n`);
      expect((await http('GET', `/computers/${id}/screenshot`)).status).toBe(200);
    }
    expect(bystanderRuns()).toBe(true);
    if (isQemu) await neverSignalled(ids[0] ?? '');
    for (const id of ids) expect((await http('DELETE', `/computers/${id}`)).status).toBe(200);
    expect(await outOfBand(service).leftovers()).toEqual({
      machines: [],
      networks: [],
      directories: [],
    });
    expect(bystanderRuns()).toBe(true);
    const pid = isQemu ? '; a process with a reused id was never signalled' : '';
    report(`${ids.length} stopped, started with a file of before${pid}`);
  },
  900_000,
);

/** The same boot: the bystander differs from the machine in its start time only. */
async function neverSignalled(id: string): Promise<void> {
  await hostGoesDown(async () => {
    const { bootId, startTime } = await bystanderIdentity();
    reusePid(id, { bootId, startTime: startTime - 1 });
  });
  await eventually(async () => (await look(id)).status !== 'running', 60_000);
  expect(await http('POST', `/computers/${id}/stop`)).toMatchObject({ status: 200 });
  expect(bystanderRuns()).toBe(true);
}
