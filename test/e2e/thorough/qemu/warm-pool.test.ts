import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import { openQemuEngine, spec } from '../../../support/qemu/engine.js';
import { plantQemuSeed } from '../../../support/qemu/seed.js';
import { makeCrashing } from '../../../support/service/crash-points.js';
import { type OwnDesktop, openOwnDesktop, untilRunning } from '../../../support/service/desktop.js';
import { outOfBand } from '../../../support/service/out-of-band.js';

/** Time limit for a new warm machine, which is emulated on a busy host. */
const READY_MS = 120_000;

let desktop: OwnDesktop;
beforeAll(async () => {
  desktop = await openOwnDesktop(['--max-running', '4', '--spares', '1']);
});
afterAll(() => desktop?.close());

const http = (method: string, path: string, body?: object) =>
  desktop.service.http(method, path, body);
const bash = async (id: string, command: string) => {
  const { json } = await http('POST', `/computers/${id}/bash`, { command });
  if (json.exit_code !== 0) throw new Error(`${command}: ${JSON.stringify(json)}`);
  return (json.stdout as string).trim();
};
const create = async (name: string) => {
  const { json } = await http('POST', '/projects/e2e/computers', { name });
  await untilRunning(desktop.service, json.id);
  return json.id as string;
};
/** The service's directory for QEMU; engines without a service have another. */
const ownQemu = () => join(desktop.service.directory, 'state', 'qemu');
const pooled = (qemu = ownQemu()) =>
  existsSync(join(qemu, 'pool')) ? readdirSync(join(qemu, 'pool')) : [];
/** The process id of a machine or a warm machine, if it runs. */
const pidOf = (kind: 'machines' | 'pool', id: string, qemu = ownQemu()): number | undefined =>
  JSON.parse(readFileSync(join(qemu, kind, id, 'machine.json'), 'utf8')).process?.pid;
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
/** Processor time of a process in clock ticks. */
const ticks = (pid: number) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
};
/** Waits for a paused warm machine, which can be claimed; returns its process id. */
const readyWarmMachine = (qemu = ownQemu()) =>
  eventually(async () => {
    const [name] = pooled(qemu);
    if (name === undefined) return undefined;
    try {
      const pid = pidOf('pool', name, qemu);
      if (pid === undefined) return undefined;
      // Measured twice, since a machine in preparation may be idle for a moment.
      const before = ticks(pid);
      await sleep(1_000);
      const between = ticks(pid);
      await sleep(1_000);
      return between - before <= 2 && ticks(pid) - between <= 2 && pid;
    } catch {
      return undefined; // In preparation.
    }
  }, READY_MS);

it('claims a warm machine for a computer of the same shape, with its own identity', async () => {
  await desktop.run('echo first > /dev/shm/whose; echo first > ~/whose');
  const warmPid = await readyWarmMachine();
  const id = await create('second');
  expect(pidOf('machines', id)).toBe(warmPid);

  const facts = async (command: string) => [await desktop.run(command), await bash(id, command)];
  for (const command of [
    'hostname',
    'cat /etc/machine-id',
    'cat /sys/class/net/e*/address',
    'cat /var/lib/vc/authorized_keys',
    'cat /var/lib/vc/identity',
    'head -c 32 /dev/urandom | base64',
  ]) {
    const [first, second] = await facts(command);
    expect(second, command).not.toBe(first?.trim());
  }
  expect(await bash(id, 'hostname')).toBe('second');
  expect(await bash(id, 'getent hosts second')).toContain('second');
  expect(await bash(id, 'wc -l < /var/lib/vc/authorized_keys')).toBe('1');
  expect(await bash(id, 'ls /dev/shm ~ | grep whose || echo none')).toBe('none');
  const before = Date.now() / 1000;
  const clock = Number(await bash(id, 'date +%s'));
  expect(clock).toBeGreaterThan(before - 5);
  expect(clock).toBeLessThan(Date.now() / 1000 + 5);
  expect((await http('GET', `/computers/${id}/screenshot`)).json.success).toBe(true);

  const { json: copy } = await http('POST', `/computers/${id}/fork`, { name: 'copy' });
  expect(await bash(copy.id, 'hostname')).toBe('copy');
  await http('DELETE', `/computers/${copy.id}`);
  await http('DELETE', `/computers/${id}`);
  expect(isAlive(warmPid)).toBe(false);
});

it('a killed warm machine is not used', async () => {
  const warmPid = await readyWarmMachine();
  process.kill(warmPid, 'SIGKILL');
  const id = await create('third');
  expect(pidOf('machines', id)).not.toBe(warmPid);
  await http('DELETE', `/computers/${id}`);
});

it('the next service removes the warm machines of a killed one, and nothing else', async () => {
  const warmPid = await readyWarmMachine();
  const own = pidOf('machines', desktop.id);
  await desktop.service.kill('SIGKILL');
  expect(isAlive(warmPid)).toBe(true);
  await desktop.service.start();
  await eventually(async () => !isAlive(warmPid) && pooled().length === 0, READY_MS);
  expect(pidOf('machines', desktop.id)).toBe(own);
  expect(await desktop.run('cat /dev/shm/whose')).toBe('first\n');
});

it('a service that stops removes its warm machines', async () => {
  const id = await create('fourth');
  const warmPid = await readyWarmMachine();
  await http('DELETE', `/computers/${id}`);
  await desktop.service.kill('SIGTERM');
  expect(isAlive(warmPid)).toBe(false);
  expect(pooled()).toEqual([]);
  await desktop.service.start();
});

it.each([
  ['before the rename', /^rename pool\/.*: begins$/],
  ['after the rename', /^rename pool\/.*: done$/],
  ['during its configuration', /^configure: sent$/],
])('a claim is finished after SIGKILL of the service %s', async (_, point) => {
  // Clean up after an earlier attempt.
  for (const { id } of (await http('GET', '/projects/e2e')).json.computers) {
    if (id !== desktop.id) await http('DELETE', `/computers/${id}`);
  }
  const crashing = await makeCrashing(desktop.service);
  const before = await create('another');
  const warmPid = await readyWarmMachine();
  await http('DELETE', `/computers/${before}`);
  const createCut = () => http('POST', '/projects/e2e/computers', { name: 'cut' });
  expect(await crashing.crashAt(point, createCut)).toBe(true);
  // The row is written before the engine is called.
  const { json } = await http('GET', '/projects/e2e');
  const { id } = json.computers.find(({ name }: { name: string }) => name === 'cut');
  await untilRunning(desktop.service, id);
  expect(await bash(id, 'hostname')).toBe('cut');
  expect(await bash(id, 'wc -l < /var/lib/vc/authorized_keys')).toBe('1');
  const pid = pidOf('machines', id);
  await eventually(async () => pid === warmPid || !isAlive(warmPid), READY_MS);
  await http('DELETE', `/computers/${id}`);
  expect(await desktop.run('cat /dev/shm/whose')).toBe('first\n');
  await eventually(async () => {
    const { directories } = await outOfBand(desktop.service).leftovers();
    return directories.length === 1;
  }, READY_MS);
  expect(isAlive(pid ?? 0)).toBe(false);
});

it('only the owner of a warm machine can claim it', async () => {
  const state = mkdtempSync(join(desktop.service.directory, 'engine-'));
  await plantQemuSeed(inject('qemuSeed'), state);
  const qemu = join(state, 'qemu');
  const engine = openQemuEngine(qemu, { poolSize: 1 });
  const [template] = await engine.templates();
  if (template === undefined) throw new Error('the seed has no template');
  const { cpu, ram, resolution } = template;
  const like = (id: string, ownerId: string) => spec(id, { cpu, ram, resolution, ownerId });
  try {
    await engine.create(like('mine', 'owner_one'));
    await engine.start('mine');
    const warmPid = await readyWarmMachine(qemu);
    await engine.create(like('theirs', 'owner_two'));
    expect(pidOf('machines', 'theirs', qemu)).toBeUndefined();
    expect(pooled(qemu)).toHaveLength(1);
    await engine.create(like('mine_too', 'owner_one'));
    expect(pidOf('machines', 'mine_too', qemu)).toBe(warmPid);
  } finally {
    await Promise.allSettled(['mine', 'theirs', 'mine_too'].map((id) => engine.remove(id)));
    await engine.close();
    rmSync(state, { recursive: true });
  }
});

it('the warm machines and saved memory of a deleted owner are removed', async () => {
  const state = mkdtempSync(join(desktop.service.directory, 'engine-'));
  await plantQemuSeed(inject('qemuSeed'), state);
  const qemu = join(state, 'qemu');
  const engine = openQemuEngine(qemu, { poolSize: 1 });
  const [template] = await engine.templates();
  if (template === undefined) throw new Error('the seed has no template');
  const { cpu, ram, resolution } = template;
  const copies = () =>
    readdirSync(join(qemu, 'templates'), { recursive: true })
      .map(String)
      .filter((path) => basename(path).startsWith('memory-'));
  try {
    const before = copies().length;
    await engine.create(spec('mine', { cpu, ram, resolution, ownerId: 'owner_one' }));
    await engine.start('mine');
    const warmPid = await readyWarmMachine(qemu);
    expect(copies()).toHaveLength(before + 1);
    await engine.remove('mine');
    await engine.forgetOwner?.('owner_one');
    expect(isAlive(warmPid)).toBe(false);
    expect(pooled(qemu)).toEqual([]);
    expect(copies()).toHaveLength(before);
  } finally {
    await engine.remove('mine');
    await engine.close();
    rmSync(state, { recursive: true });
  }
});
