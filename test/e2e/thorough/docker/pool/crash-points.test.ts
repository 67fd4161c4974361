import { afterAll, beforeAll, expect } from 'vitest';
import { readySpare } from '../../../../support/docker/spares.js';
import { eventually } from '../../../../support/eventually.js';
import { promise } from '../../../../support/run/promise.js';
import { type CrashingService, makeCrashing } from '../../../../support/service/crash-points.js';
import {
  type OwnDesktop,
  openOwnDesktop,
  untilRunning,
} from '../../../../support/service/desktop.js';
import { outOfBand } from '../../../../support/service/out-of-band.js';

const SETTLE_MS = 120_000;

let desktop: OwnDesktop;
let crashing: CrashingService;
beforeAll(async () => {
  desktop = await openOwnDesktop(['--max-running', '4', '--spares', '1']);
  await desktop.run('echo first > /dev/shm/whose');
  crashing = await makeCrashing(desktop.service);
});
afterAll(() => desktop?.close());

const http = (method: string, path: string, body?: object) =>
  desktop.service.http(method, path, body);
const found = async (name: string): Promise<string | undefined> => {
  const { json } = await http('GET', '/projects/e2e');
  return json.computers.find((computer: { name: string }) => computer.name === name)?.id;
};
/** Expects that nothing exists but the desktop, and that the desktop was left alone. */
async function onlyLeft(): Promise<void> {
  await eventually(async () => {
    const { machines, networks } = await outOfBand(desktop.service).leftovers();
    return machines.length === 1 && networks.length === 1;
  }, SETTLE_MS).catch(async (cause) => {
    const left = JSON.stringify(await outOfBand(desktop.service).leftovers());
    throw new Error(`left at "${crashing.lastPoint()}": ${left}`, { cause });
  });
  expect(await desktop.run('cat /dev/shm/whose')).toBe('first\n');
}
/** Expects that nothing is left of a machine, and that the desktop was left alone. */
async function isGone(name: string): Promise<void> {
  await eventually(async () => {
    const { machines, networks } = await outOfBand(desktop.service).leftovers();
    return !machines.includes(name) && !networks.includes(name.slice(1));
  }, SETTLE_MS);
  expect(await desktop.run('cat /dev/shm/whose'), crashing.lastPoint()).toBe('first\n');
}
/** Has the service fill its pool: a new computer of a shape asks for one more. */
async function fill() {
  const { json } = await http('POST', '/projects/e2e/computers', { name: 'before' });
  await untilRunning(desktop.service, json.id);
  const ready = await readySpare(desktop.service);
  await http('DELETE', `/computers/${json.id}`);
  return ready;
}

promise(
  11,
  'after SIGKILL at any point of a claim, a computer is usable or gone, and no warm machine is left',
  async (report) => {
    let point = 1;
    for (; ; point++) {
      const { spare } = await fill();
      const create = () => http('POST', '/projects/e2e/computers', { name: 'cut' });
      const wasKilled = await crashing.crashAt(point, create);
      const id = await found('cut');
      if (id !== undefined) {
        await untilRunning(desktop.service, id);
        const { json } = await http('POST', `/computers/${id}/bash`, {
          command: 'hostname; getent hosts cut | wc -l; wc -l < /var/lib/vc/authorized_keys',
        });
        expect(json.stdout, crashing.lastPoint()).toBe('cut\n1\n1\n');
      }
      // The next service may have made another one for itself.
      if (wasKilled && spare.Names[0] !== `/vc-${id}`) await isGone(spare.Names[0] ?? '');
      if (id !== undefined) await http('DELETE', `/computers/${id}`);
      if (!wasKilled) break;
    }
    expect(point).toBeGreaterThan(4);
    report(`every point: ${point - 1}`);
  },
  3_600_000,
);

promise(
  11,
  'after SIGKILL at any point while a warm machine is made, nothing of it is left',
  async (report) => {
    let point = 1;
    // One that is being made already would have no points left.
    await fill();
    for (; ; point++) {
      const { json } = await http('POST', '/projects/e2e/computers', { name: 'asks' });
      await untilRunning(desktop.service, json.id);
      const { pid } = desktop.service;
      const wasKilled = await crashing.crashAt(point, () =>
        Promise.race([
          readySpare(desktop.service),
          eventually(async () => !isAlive(pid), SETTLE_MS),
        ]),
      );
      await http('DELETE', `/computers/${json.id}`);
      if (!wasKilled) break;
      await onlyLeft();
    }
    expect(point).toBeGreaterThan(4);
    report(`every point: ${point - 1}`);
  },
  3_600_000,
);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
