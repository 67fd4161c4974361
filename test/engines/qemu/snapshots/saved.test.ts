import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MachineSpec } from '../../../../src/engines/engine.js';
import { createLayer } from '../../../../src/engines/qemu/disk/qcow2.js';
import { QemuHost } from '../../../../src/engines/qemu/host.js';
import { Layout } from '../../../../src/engines/qemu/layout.js';
import { writeMachineRecord } from '../../../../src/engines/qemu/machine/machine-record.js';
import type { QemuProcess } from '../../../../src/engines/qemu/machine/qemu-process.js';
import { MachineRegistry } from '../../../../src/engines/qemu/machine/registry.js';
import { resetMachine } from '../../../../src/engines/qemu/snapshots/reset.js';
import { saveMachine } from '../../../../src/engines/qemu/snapshots/save.js';
import {
  readSavedRecord,
  type SavedMemory,
  usableMemory,
  writeSavedRecord,
} from '../../../../src/engines/qemu/snapshots/saved/record.js';
import { SavedStore } from '../../../../src/engines/qemu/snapshots/saved/store.js';
import type { Templates } from '../../../../src/engines/qemu/snapshots/templates/templates.js';
import { machineRecord } from '../../../support/qemu/machine-record.js';

const MIB = 1 << 20;

let root: string;
let host: QemuHost;
let saved: SavedStore;
let machines: MachineRegistry;
let spec: MachineSpec;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vc-saved-'));
  host = new QemuHost(new Layout(root), { internet: false, allowNetworks: [] });
  saved = new SavedStore(host.layout);
  machines = new MachineRegistry({
    ...{ host, serviceId: 'test', templates: {} as Templates },
    ...{ onChange: () => undefined, onHangUp: () => undefined },
  });
  const about = await machineRecord({ intended: 'stopped', process: null });
  const { image } = about;
  spec = about.spec;
  const directory = host.layout.machine('one');
  await mkdir(directory, { recursive: true });
  await createLayer(directory, { name: 'image.qcow2', backing: '', bytes: image.diskBytes });
  await writeFile(join(directory, 'disk-1.qcow2'), Buffer.alloc(2 * MIB, 1));
  await writeMachineRecord(directory, { ...about, image: { ...image, kind: 'disk' } });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const owner = { ownerId: 'o', memory: true };
const save = (id: string, change: object = {}) =>
  saveMachine(
    'one',
    { id, kind: 'snapshot', ...owner, ...change },
    { host, machines, saved },
    undefined,
  );
const reset = (from?: string) =>
  machines.withMachine('one', (machine, record) =>
    resetMachine(
      machine,
      record,
      { ...spec, from: from === undefined ? undefined : { id: from, kind: 'snapshot' } },
      host,
    ),
  );
const recordOf = async (id = 'one') => (await machines.get(id)).record;
const files = (id = 'one') => readdir(host.layout.machine(id));
/** Writes to the top layer of the machine, as its guest would. */
const write = async (bytes: number) =>
  writeFile(
    join(host.layout.machine('one'), (await recordOf()).layers.at(-1) ?? ''),
    Buffer.alloc(bytes, 2),
  );

describe('a saved disk', () => {
  it('holds the layers of the machine, which writes to a new one', async () => {
    const disk = await save('snp_1');
    expect(disk).toMatchObject({ id: 'snp_1', kind: 'snapshot', machine: 'one', memory: false });
    expect(disk.bytes).toBeGreaterThanOrEqual(2 * MIB);
    const { layers, base } = await recordOf();
    expect(layers).toEqual(['image.qcow2', 'disk-1.qcow2', expect.stringMatching(/^disk-/)]);
    expect(base).toEqual(['image.qcow2']);
    const frozen = await stat(join(host.layout.machine('one'), 'disk-1.qcow2'));
    expect(frozen.mode & 0o222).toBe(0);
    expect((await stat(join(saved.of('snp_1'), 'disk-1.qcow2'))).ino).toBe(frozen.ino);
  });

  it('is saved once however often it is asked for', async () => {
    await Promise.all([save('snp_1'), save('snp_1')]);
    expect((await recordOf()).layers).toHaveLength(3);
    expect(await saved.list()).toHaveLength(1);
  });

  it('counts what older ones do not have', async () => {
    await save('snp_1');
    await write(MIB);
    const { bytes } = await save('snp_2');
    expect(bytes).toBeGreaterThanOrEqual(MIB);
    expect(bytes).toBeLessThan(2 * MIB);
    await saved.remove('snp_1');
    expect((await saved.list())[0]?.bytes).toBeGreaterThanOrEqual(3 * MIB);
  });

  it('makes machines that outlive it', async () => {
    await save('snp_1');
    const from = { id: 'snp_1', kind: 'snapshot' } as const;
    for (const id of ['two', 'three']) await machines.create({ ...spec, id, from });
    await saved.remove('snp_1');
    await saved.remove('snp_1');
    expect(await readdir(host.layout.saved)).toEqual([]);
    for (const id of ['two', 'three']) {
      const { base, used, resume } = await recordOf(id);
      expect({ base, used, resume }).toEqual({
        base: ['image.qcow2', 'disk-1.qcow2'],
        ...{ used: false, resume: null },
      });
      expect(await files(id)).toEqual(expect.arrayContaining(base));
    }
    await expect(machines.create({ ...spec, id: 'four', from })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await readdir(host.layout.machines)).not.toContain('four');
  });

  it('with memory is booted in a machine of another size, of which a stopped one takes it', async () => {
    const size = { cpu: 8, ram: 8, resolution: { width: 640, height: 480 } };
    await (await machines.get('one')).machine.write({
      resume: 'fork',
      resumeMac: '52:54:00:00:00:01',
    });
    const { cpu, ram } = spec;
    expect(await machines.resize('one', { ...size, cpu, ram })).toBe('next start');
    expect(await recordOf()).toMatchObject({ resume: 'fork', spec: { ...size, cpu, ram } });
    await machines.resize('one', size);
    expect(await recordOf()).toMatchObject({ resume: null, resumeMac: null, spec: size });
  });

  it('of another one is the same disk', async () => {
    await save('snp_1');
    const of = { id: 'snp_1', kind: 'snapshot' };
    const image = await save('img_1', { kind: 'image', memory: false, of });
    expect(image).toMatchObject({ kind: 'image', bytes: 0, memory: false });
    expect((await recordOf()).layers).toHaveLength(3);
    await saved.remove('snp_1');
    expect((await saved.list()).map(({ id }) => id)).toEqual(['img_1']);
    const gone = save('img_2', { kind: 'image', of });
    await expect(gone).rejects.toMatchObject({ code: 'not_found' });
    expect(await readdir(host.layout.saved)).toEqual(['img_1']);
  });

  it('of a machine that was never started makes others like it', async () => {
    const { machine } = await machines.get('one');
    await machine.write({ used: false });
    await save('snp_1');
    await machines.create({ ...spec, id: 'two', from: { id: 'snp_1', kind: 'snapshot' } });
    expect(await recordOf('two')).toMatchObject({ base: ['image.qcow2'], used: false });
  });

  it('of a running machine is refused if its layers take too much of the host', async () => {
    const { machine, record } = await machines.get('one');
    const asked: string[] = [];
    machine.attach({
      workspace: await machine.workspace(),
      ...{ alive: true, onEvent: () => undefined, exited: new Promise(() => undefined) },
      execute: async (command: string) => {
        asked.push(command);
        throw new Error('no QEMU');
      },
    } as unknown as QemuProcess);
    await machine.write({ image: { ...record.image, diskBytes: MIB } });
    await write(4 * MIB);
    await expect(save('snp_1', { memory: false })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('more than 3 times its size'),
      remedy: expect.stringContaining('Stop and start the computer'),
    });
    expect(asked).toEqual([]);
    await write(2 * MIB);
    await expect(save('snp_1', { memory: false })).rejects.toThrow('no QEMU');
    expect(await readdir(host.layout.saved)).toEqual([]);
  });

  it('leaves nothing when the machine is gone or the service was killed', async () => {
    await mkdir(join(host.layout.saved, '.new-half'), { recursive: true });
    await mkdir(join(host.layout.saved, '.removing-snp_0-1'));
    expect(await saved.list()).toEqual([]);
    expect(await readdir(host.layout.saved)).toEqual([]);
    await machines.remove('one');
    await expect(save('snp_1')).rejects.toMatchObject({ code: 'not_found' });
    expect(await readdir(host.layout.saved)).toEqual([]);
  });
});

describe('a reset', () => {
  it('brings back the saved disk and removes later layers', async () => {
    await save('snp_1');
    await write(MIB);
    await save('snp_2');
    await reset('snp_1');
    const { layers, used, spec: kept } = await recordOf();
    expect(layers.slice(0, -1)).toEqual(['image.qcow2', 'disk-1.qcow2']);
    expect({ used, from: kept.from }).toEqual({ used: true, from: undefined });
    expect((await files()).filter((name) => name.startsWith('disk-')).sort()).toEqual(
      layers.slice(1).sort(),
    );
    await reset('snp_2');
    expect((await recordOf()).layers).toHaveLength(4);
  });

  it('brings back the machine as it was made, and can be repeated', async () => {
    await save('snp_1');
    await reset();
    await reset();
    const { layers, used, resume } = await recordOf();
    expect({ layers: layers.length, used, resume }).toEqual({
      ...{ layers: 2, used: false, resume: null },
    });
    expect((await files()).filter((name) => name.startsWith('disk-'))).toEqual(layers.slice(1));
    const from = { id: 'snp_1', kind: 'snapshot' } as const;
    await machines.create({ ...spec, id: 'two', from });
    await machines.withMachine('two', (machine, record) =>
      resetMachine(machine, record, { ...spec, id: 'two', from }, host),
    );
    expect((await recordOf('two')).used).toBe(false);
    await saved.remove('snp_1');
    await machines.withMachine('two', (machine, record) =>
      resetMachine(machine, record, { ...spec, id: 'two', from }, host),
    );
    const copy = await recordOf('two');
    expect(copy.layers.slice(0, -1)).toEqual(['image.qcow2', 'disk-1.qcow2']);
    expect(copy.spec.from).toEqual(from);
  });

  it('changes nothing if there is no such disk', async () => {
    const before = await recordOf();
    await expect(reset('snp_1')).rejects.toMatchObject({ code: 'not_found' });
    expect(await recordOf()).toEqual(before);
  });

  it('does not follow a link in place of the UEFI variables', async () => {
    const { machine, record } = await machines.get('one');
    await machine.write({ image: { ...record.image, firmware: 'uefi' } });
    await writeFile(join(machine.directory, 'vars.fd'), 'variables');
    await save('snp_1');
    await rm(join(machine.directory, 'vars.fd'));
    const victim = join(root, 'victim');
    await writeFile(victim, 'kept');
    await symlink(victim, join(machine.directory, 'vars.fd'));
    await reset('snp_1');
    expect(await readFile(victim, 'utf8')).toBe('kept');
    expect(await readFile(join(machine.directory, 'vars.fd'), 'utf8')).toBe('variables');
  });
});

describe('saved memory', () => {
  const memory: SavedMemory = {
    ...{ cpu: 1, ram: 1, qemu: '7.2.1', acceleration: 'tcg', hardware: '3' },
    mac: '52:54:00:00:00:01',
  };
  const like = (qemu: string) =>
    ({
      version: async () => qemu,
      acceleration: async () => ({ kind: 'tcg', arguments: [] }),
    }) as unknown as QemuHost;

  it('is resumed on the same hardware and QEMU only', async () => {
    expect(await usableMemory(memory, { cpu: 1, ram: 1 }, like('7.2.1'))).toBe(memory);
    expect(await usableMemory(memory, { cpu: 2, ram: 1 }, like('7.2.1'))).toBeNull();
    expect(await usableMemory(memory, { cpu: 1, ram: 2 }, like('7.2.1'))).toBeNull();
    expect(await usableMemory(memory, { cpu: 1, ram: 1 }, like('8.0.0'))).toBeNull();
    expect(await usableMemory(null, { cpu: 1, ram: 1 }, like('7.2.1'))).toBeNull();
  });

  it('is resumed by new machines and after a reset', async () => {
    host = Object.assign(host, like('7.2.1'));
    await save('snp_1');
    const record = await readSavedRecord(saved.of('snp_1'));
    if (record === undefined) throw new Error('no record');
    await writeSavedRecord(saved.of('snp_1'), { ...record, memory });
    await writeFile(join(saved.of('snp_1'), 'state'), 'memory');
    await machines.create({ ...spec, id: 'two', from: { id: 'snp_1', kind: 'snapshot' } });
    await reset('snp_1');
    for (const id of ['one', 'two']) {
      const { used, resume, resumeMac } = await recordOf(id);
      expect({ used, resume, resumeMac }).toEqual({
        ...{ used: false, resume: 'fork', resumeMac: memory.mac },
      });
      expect(await files(id)).toContain('state');
    }
    // Its disk is what it has before it is started.
    await save('snp_2');
    expect((await readSavedRecord(saved.of('snp_2')))?.layers).toEqual(record.layers);
    await reset();
    expect(await files()).not.toContain('state');
  });
});
