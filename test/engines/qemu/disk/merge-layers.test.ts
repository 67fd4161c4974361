// @module-tag slow
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTopLayer } from '../../../../src/engines/qemu/disk/layers.js';
import { mergeLayers } from '../../../../src/engines/qemu/disk/merge-layers.js';
import { QemuMachine } from '../../../../src/engines/qemu/machine/qemu-machine.js';
import { machineRecord } from '../../../support/qemu/machine-record.js';

const BYTES = 1 << 20;

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vc-merge-'));
  // The machine's user passes through it.
  await chmod(root, 0o711);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const hasTool = await execa('qemu-img', ['--version'], { reject: false }).then((r) => !r.failed);
if (!hasTool) console.warn('qemu-img is not installed: no layers are merged');

/** A machine whose guest has overwritten its whole disk in each of its layers. */
async function rewritten(layers: number): Promise<QemuMachine> {
  const directory = join(root, 'one');
  const machine = new QemuMachine('one', directory, {
    onChange: () => undefined,
    onReset: async () => undefined,
    onHangUp: () => undefined,
  });
  const workspace = await machine.workspace();
  await execa('qemu-img', ['create', '-f', 'qcow2', 'image.qcow2', `${BYTES}`], { cwd: directory });
  const names = ['image.qcow2'];
  for (let number = 1; number <= layers; number++) {
    const name = await createTopLayer(workspace, names.at(-1) ?? '', BYTES);
    await execa('qemu-io', ['-c', `write -P ${number} 0 ${BYTES}`, name], { cwd: directory });
    names.push(name);
  }
  const about = await machineRecord({ layers: names });
  await machine.writeNew({ ...about, image: { ...about.image, diskBytes: BYTES } });
  return machine;
}

/** The problems that were reported. */
async function merge(machine: QemuMachine, free = 2 ** 40): Promise<string[]> {
  const problems: string[] = [];
  if (machine.record === undefined) throw new Error('no record');
  const onProblem = (message: string) => problems.push(message);
  await mergeLayers(machine, machine.record, {
    ...{ signal: undefined, onProblem },
    freeBytes: async () => free,
  });
  return problems;
}

describe.runIf(hasTool)('the layers of a disk', () => {
  it('are merged if they take more than three times its size', async () => {
    const machine = await rewritten(4);
    const before = machine.record?.layers ?? [];
    // A text, so that a failure shows it.
    expect((await merge(machine)).join('\n')).toBe('');
    const [top = ''] = before.slice(-1);
    expect(machine.record?.layers).toEqual(['image.qcow2', top]);
    const { directory: cwd } = machine;
    expect((await readdir(cwd)).filter((name) => name.startsWith('disk-'))).toEqual([top]);
    const { stdout } = await execa('qemu-io', ['-c', `read -P 4 0 ${BYTES}`, top], { cwd });
    expect(stdout).not.toContain('failed');
  });

  it('stay if they take less', async () => {
    const machine = await rewritten(2);
    expect(await merge(machine)).toEqual([]);
    expect(machine.record?.layers).toHaveLength(3);
  });

  it('stay if the disk of the host has too little room for a merged one', async () => {
    const machine = await rewritten(4);
    expect(await merge(machine, 2 ** 30)).toEqual([expect.stringContaining('too little room')]);
    expect(machine.record?.layers).toHaveLength(5);
  });

  it('that take much but cannot be merged do not prevent a start', async () => {
    const machine = await rewritten(4);
    await rm(join(machine.directory, machine.record?.layers[1] ?? ''));
    await machine.write({ image: { ...(await machineRecord({})).image, diskBytes: BYTES / 2 } });
    expect(await merge(machine)).toEqual([
      expect.stringContaining("starts with unmerged layers: The disk's layers cannot be merged"),
    ]);
    expect(machine.record?.layers).toHaveLength(5);
  });
});
