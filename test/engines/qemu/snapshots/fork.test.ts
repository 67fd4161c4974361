import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLayer } from '../../../../src/engines/qemu/disk/qcow2.js';
import { QemuHost } from '../../../../src/engines/qemu/host.js';
import { Layout } from '../../../../src/engines/qemu/layout.js';
import {
  type MachineRecord,
  readMachineRecord,
} from '../../../../src/engines/qemu/machine/machine-record.js';
import { QemuMachine } from '../../../../src/engines/qemu/machine/qemu-machine.js';
import type { QemuProcess } from '../../../../src/engines/qemu/machine/qemu-process.js';
import { forkMachine } from '../../../../src/engines/qemu/snapshots/fork.js';
import { SavedStore } from '../../../../src/engines/qemu/snapshots/saved/store.js';
import { Templates } from '../../../../src/engines/qemu/snapshots/templates/templates.js';
import { machineRecord } from '../../../support/qemu/machine-record.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vc-fork-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const quiet = {
  onChange: () => undefined,
  onReset: async () => undefined,
  onHangUp: () => undefined,
};

/** Collects the machine's records as they are on disk after each write. */
class RecordingMachine extends QemuMachine {
  readonly left: MachineRecord[] = [];
  override async writeNew(record: MachineRecord): Promise<MachineRecord> {
    const written = await super.writeNew(record);
    const read = await readMachineRecord(this.directory);
    if (read) this.left.push(read);
    for (const layer of read?.base ?? []) await access(join(this.directory, layer));
    return written;
  }
}

/** A machine that does not run. */
async function sourceMachine(used: boolean): Promise<QemuMachine> {
  const directory = join(root, 'one');
  await mkdir(directory);
  const source = new QemuMachine('one', directory, quiet);
  const about = await machineRecord({ used, intended: 'stopped', process: null });
  const { image } = about;
  await createLayer(directory, { name: 'image.qcow2', backing: '', bytes: image.diskBytes });
  const top = { name: 'disk-1.qcow2', backing: 'image.qcow2', bytes: image.diskBytes };
  await createLayer(directory, top);
  await source.writeNew({ ...about, image: { ...image, kind: 'disk' } });
  return source;
}

async function fork(source: QemuMachine) {
  const { spec } = await machineRecord({});
  const copy = new RecordingMachine('two', join(root, 'two'), quiet);
  const host = new QemuHost(new Layout(root), { internet: false, allowNetworks: [] });
  const templates = new Templates(host, {
    mode: 'on-demand',
    onProblem: () => undefined,
  });
  const saved = new SavedStore(host.layout);
  const parts = { host, templates, saved, signal: undefined };
  await forkMachine(source, copy, { ...spec, id: 'two' }, parts);
  return copy;
}

const copyOf = async (used: boolean) => fork(await sourceMachine(used));

describe('a fork of a stopped machine', () => {
  it('never exists without the data of its source', async () => {
    const { left } = await copyOf(true);
    expect(left.length).toBeGreaterThan(0);
    for (const { base, layers } of left) {
      expect(base).toEqual(['image.qcow2', 'disk-1.qcow2']);
      expect(layers.slice(0, -1)).toEqual(base);
    }
  });

  it('is unused if its source is', async () => {
    const { left } = await copyOf(false);
    expect(left.at(-1)).toMatchObject({ used: false, resume: null, intended: 'stopped' });
    expect(left.at(-1)?.layers).toHaveLength(2);
  });
});

describe('a fork of a running machine', () => {
  it('is refused if the layers of its source take too much of the host', async () => {
    const source = await sourceMachine(true);
    const asked: string[] = [];
    source.attach({
      workspace: await source.workspace(),
      ...{ alive: true, onEvent: () => undefined, exited: new Promise(() => undefined) },
      execute: async (command: string) => {
        asked.push(command);
        throw new Error('no QEMU');
      },
    } as unknown as QemuProcess);
    const { image } = await machineRecord({});
    await source.write({ image: { ...image, kind: 'disk', diskBytes: 1 << 20 } });
    await writeFile(join(source.directory, 'disk-1.qcow2'), Buffer.alloc(4 << 20, 1));
    await expect(fork(source)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('more than 3 times its size'),
      remedy: expect.stringContaining('Stop and start the computer'),
    });
    expect(asked).toEqual([]);
    await expect(access(join(root, 'two'))).rejects.toThrow('ENOENT');

    await writeFile(join(source.directory, 'disk-1.qcow2'), Buffer.alloc(2 << 20, 1));
    await expect(fork(source)).rejects.toThrow('no QEMU');
  });
});
