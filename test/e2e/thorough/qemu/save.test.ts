import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLayer } from '../../../../src/engines/qemu/disk/qcow2.js';
import { PROGRAM } from '../../../../src/engines/qemu/host.js';
import { FILES } from '../../../../src/engines/qemu/layout.js';
import { DISK, layerNode } from '../../../../src/engines/qemu/machine/arguments.js';
import { QemuMachine } from '../../../../src/engines/qemu/machine/qemu-machine.js';
import type { QemuProcess } from '../../../../src/engines/qemu/machine/qemu-process.js';
import { LiveMigration } from '../../../../src/engines/qemu/snapshots/live-migration.js';
import { openMigrationSink } from '../../../../src/engines/qemu/snapshots/migration-sink.js';
import { saveRunning } from '../../../../src/engines/qemu/snapshots/save-running.js';
import { currentBootId, parseStat } from '../../../../src/lib/process/identity.js';
import { eventually } from '../../../support/eventually.js';
import { machineRecord } from '../../../support/qemu/machine-record.js';

const BYTES = 1 << 30;
const LAYERS = [FILES.image, 'disk-1.qcow2'];
const quiet = {
  onChange: () => undefined,
  onReset: async () => undefined,
  onHangUp: () => undefined,
};

let directory: string;
let child: ChildProcess;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-save-'));
  const [image = '', top = ''] = LAYERS;
  await createLayer(directory, { name: image, backing: '', bytes: BYTES });
  await createLayer(directory, { name: top, backing: image, bytes: BYTES });
  const argv = [
    ...['-nodefaults', '-no-user-config', '-display', 'none', '-machine', 'q35', '-m', '256'],
    ...['-accel', 'tcg', '-qmp', `unix:${FILES.qmp},server=on,wait=off`],
    ...['-blockdev', JSON.stringify({ ...layerNode(top, DISK.node), backing: null })],
    ...['-device', `virtio-blk-pci,id=${DISK.device},drive=${DISK.node}`],
  ];
  child = spawn(PROGRAM, argv, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
  const { pid = 0 } = child;
  await eventually(async () => (await readFile(`/proc/${pid}/comm`, 'utf8')).startsWith('qemu'));
  const { startTime = 0 } = parseStat(await readFile(`/proc/${pid}/stat`, 'utf8'));
  const uid = process.getuid?.() ?? 0;
  const identity = { pid, startTime, bootId: await currentBootId(), uid };
  await new QemuMachine('one', directory, quiet).writeNew({
    ...(await machineRecord({ layers: LAYERS, used: true, process: identity })),
  });
});
afterEach(async () => {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  await rm(directory, { recursive: true, force: true });
});

/** Loads the machine as a starting service does. */
async function load() {
  const machine = new QemuMachine('one', directory, quiet);
  await machine.load();
  const { qemu, record } = machine;
  if (!qemu || !record) throw new Error('the machine was not found');
  return { machine, qemu, record };
}

/** Leaves the machine as a service does that is killed while the guest is paused for a copy. */
async function interruptCopy(qemu: QemuProcess): Promise<void> {
  const { uri } = await openMigrationSink(qemu.workspace, {
    path: join(directory, 'half'),
    limit: BYTES,
  });
  const migration = new LiveMigration(qemu);
  await migration.begin(uri, 'tcg', undefined);
  await migration.untilPaused(undefined);
}

const copied = { acceleration: 'tcg', compress: false, signal: undefined } as const;

describe('a machine whose service was killed during a fork', () => {
  it('resumes when a service starts, and can be forked', async () => {
    const before = await load();
    await interruptCopy(before.qemu);
    expect(await before.qemu.status()).not.toBe('running');
    before.qemu.release();
    const { machine, qemu, record } = await load();
    expect(await qemu.status()).toBe('running');
    const options = { ...copied, directory: await mkdtemp(join(directory, 'copy-')) };
    expect(await saveRunning(machine, qemu, record, options)).toEqual(LAYERS);
    expect(await qemu.status()).toBe('running');
    expect(machine.record?.layers).toHaveLength(3);
    qemu.release();
  });

  it('can be forked while it is paused', async () => {
    const { machine, qemu, record } = await load();
    await interruptCopy(qemu);
    const options = { ...copied, directory: await mkdtemp(join(directory, 'copy-')) };
    expect(await saveRunning(machine, qemu, record, options)).toEqual(LAYERS);
    expect(await qemu.status()).toBe('running');
    qemu.release();
  });
});

describe('a QEMU that hangs', () => {
  it('does not keep a service from starting', { timeout: 10_000 }, async () => {
    child.kill('SIGSTOP');
    const { qemu } = await load();
    expect(qemu.alive).toBe(true);
    await expect(qemu.status({ timeoutMs: 200 })).rejects.toThrow('does not answer');
    qemu.release();
  });
});
