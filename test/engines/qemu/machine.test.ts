import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QemuMachine } from '../../../src/engines/qemu/machine.js';
import { currentBootId } from '../../../src/engines/qemu/process/index.js';
import type { MachineRecord } from '../../../src/engines/qemu/record.js';
import { machineRecord } from '../../support/machine-record.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-machine-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const quiet = { onChange: () => undefined, onReset: () => undefined, onHangUp: () => undefined };

/** What a service that starts now makes of what an earlier one has left. */
async function found(): Promise<QemuMachine> {
  const machine = new QemuMachine('one', directory, quiet);
  await machine.load();
  await machine.judge();
  return machine;
}

async function left(change: Partial<MachineRecord>, ended?: number): Promise<void> {
  await new QemuMachine('one', directory, quiet).writeNew(await machineRecord(change));
  if (ended === undefined) return;
  const text = `boot ${await currentBootId()} 0\npid 5000000 1\nended ${ended}\n`;
  await writeFile(join(directory, 'process'), text);
}

describe('a machine whose process is gone', () => {
  it('has failed when it was killed', async () => {
    await left({}, 128 + 9);
    const machine = await found();
    expect(machine.state).toMatchObject({ status: 'error' });
    expect(machine.state.reason).toContain('SIGKILL');
    expect((await found()).state).toEqual(machine.state);
  });

  it('has failed when QEMU did', async () => {
    await writeFile(join(directory, 'qemu.log'), 'qemu: something is broken\n');
    await left({}, 1);
    expect((await found()).state.reason).toContain('something is broken');
  });

  it('has stopped when its guest powered itself off', async () => {
    await left({}, 0);
    expect((await found()).state).toEqual({ id: 'one', status: 'stopped' });
  });

  it('has stopped when the host was restarted', async () => {
    const process = { pid: 1, startTime: 1, bootId: 'another', uid: 0 };
    await left({ process });
    expect((await found()).state).toEqual({ id: 'one', status: 'stopped' });
  });

  it('has stopped when it was to be stopped', async () => {
    await left({ intended: 'stopped' }, 128 + 9);
    expect((await found()).state).toEqual({ id: 'one', status: 'stopped' });
  });
});

describe('a machine record', () => {
  it('is none in a directory whose making was broken off', async () => {
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

  it('that is damaged is said to be, and not taken for none', async () => {
    await writeFile(join(directory, 'machine.json'), '{"version":1,');
    const machine = await found();
    expect(machine.state.reason).toContain('machine.json cannot be read');
    expect(() => machine.assertReadable()).toThrow('cannot be read');
  });

  it('leaves no other file', async () => {
    await left({});
    await left({ used: false });
    expect(await readdir(directory)).toEqual(['machine.json']);
  });
});
