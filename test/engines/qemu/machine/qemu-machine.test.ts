import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MachineRecord } from '../../../../src/engines/qemu/machine/machine-record.js';
import { QemuMachine } from '../../../../src/engines/qemu/machine/qemu-machine.js';
import { currentBootId } from '../../../../src/lib/process/identity.js';
import { machineRecord } from '../../../support/qemu/machine-record.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-machine-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const quiet = {
  onChange: () => undefined,
  onReset: async () => undefined,
  onHangUp: () => undefined,
};

/** The machine as a new service finds it. */
async function found(): Promise<QemuMachine> {
  const machine = new QemuMachine('one', directory, quiet);
  await machine.load();
  await machine.recordExit();
  return machine;
}

async function left(change: Partial<MachineRecord>, ended?: number): Promise<void> {
  await new QemuMachine('one', directory, quiet).writeNew(await machineRecord(change));
  if (ended === undefined) return;
  const text = `boot ${await currentBootId()} 0\npid 5000000 1\nended ${ended}\n`;
  await writeFile(join(directory, 'process'), text);
}

describe('a machine whose process has exited', () => {
  it('failed if the process was killed', async () => {
    await left({}, 128 + 9);
    const machine = await found();
    expect(machine.state).toMatchObject({ status: 'error' });
    expect(machine.state.reason).toContain('SIGKILL');
    expect((await found()).state).toEqual(machine.state);
  });

  it('failed if QEMU did', async () => {
    await writeFile(join(directory, 'qemu.log'), 'qemu: something is broken\n');
    await left({}, 1);
    expect((await found()).state.reason).toContain('something is broken');
  });

  it('stopped if its guest powered off', async () => {
    await left({}, 0);
    expect((await found()).state).toEqual({ id: 'one', status: 'stopped' });
  });

  it('stopped if the host was restarted', async () => {
    const process = { pid: 1, startTime: 1, bootId: 'another', uid: 0 };
    await left({ process });
    expect((await found()).state).toEqual({ id: 'one', status: 'stopped' });
  });

  it('stopped if that was requested', async () => {
    await left({ intended: 'stopped' }, 128 + 9);
    expect((await found()).state).toEqual({ id: 'one', status: 'stopped' });
  });
});

describe('the memory and state that a machine was resumed from', () => {
  const saved = async () =>
    (await readdir(directory)).filter((name) => ['memory', 'state'].includes(name)).sort();
  const save = () =>
    Promise.all(['memory', 'state'].map((name) => writeFile(join(directory, name), 'of another')));

  it('are removed if the service ended before it removed them', async () => {
    await left({ used: true, resume: null });
    await save();
    await found();
    expect(await saved()).toEqual([]);
  });

  it('stay until the machine is used', async () => {
    await left({ used: false, resume: 'fork' });
    await save();
    await found();
    expect(await saved()).toEqual(['memory', 'state']);
  });

  it('do not prevent the machine from being loaded', async () => {
    await left({ used: true, resume: null }, 0);
    await mkdir(join(directory, 'memory'));
    expect((await found()).state).toEqual({ id: 'one', status: 'stopped' });
  });
});

describe('a machine record', () => {
  it('does not exist in an incomplete directory', async () => {
    expect((await found()).record).toBeUndefined();
  });

  it('is not read through a link', async () => {
    await left({}, 0);
    const elsewhere = await mkdtemp(join(tmpdir(), 'vc-machine-'));
    await symlink(join(directory, 'machine.json'), join(elsewhere, 'machine.json'));
    const machine = new QemuMachine('one', elsewhere, quiet);
    await machine.load();
    expect(machine.record).toBeUndefined();
    expect(machine.state).toMatchObject({ status: 'error' });
    await rm(elsewhere, { recursive: true });
  });

  it('that is damaged is reported, not ignored', async () => {
    await writeFile(join(directory, 'machine.json'), '{"version":1,');
    const machine = await found();
    expect(machine.state.reason).toContain('machine.json cannot be read');
    expect(() => machine.assertReadable()).toThrow('cannot be read');
  });

  it('leaves no temporary file', async () => {
    await left({});
    await left({ used: false });
    expect(await readdir(directory)).toEqual(['machine.json']);
  });
});
