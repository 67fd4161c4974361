// @module-tag slow
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accelerationArguments,
  createProbeDirectory,
  removeAbandonedProbes,
} from '../../../../src/engines/qemu/acceleration/boot-probe.js';
import { readVerdict, writeVerdict } from '../../../../src/engines/qemu/acceleration/kvm.js';
import { currentBootId, parseStat } from '../../../../src/lib/process/identity.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-kvm-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('the KVM verdict', () => {
  const key = { bootId: 'b', qemuVersion: '7.2', kernelHash: 'k' };

  it('is cached per boot of the host, QEMU version and kernel', async () => {
    const verdict = { usable: false, reason: 'a guest fails' } as const;
    expect(await readVerdict(directory, key)).toBeUndefined();
    await writeVerdict(directory, key, verdict);
    await writeVerdict(directory, { ...key, kernelHash: 'other' }, { usable: true });
    expect(await readVerdict(directory, key)).toEqual(verdict);
    expect(await readVerdict(directory, { ...key, kernelHash: 'other' })).toEqual({ usable: true });
    for (const change of [{ bootId: 'c' }, { qemuVersion: '8' }, { kernelHash: 'l' }]) {
      expect(await readVerdict(directory, { ...key, ...change })).toBeUndefined();
    }
  });

  it('is ignored if the file is damaged', async () => {
    await writeFile(join(directory, 'kvm.json'), '{"bootId": 1');
    expect(await readVerdict(directory, key)).toBeUndefined();
  });

  it('selects the accelerator', () => {
    expect(accelerationArguments({ usable: true })).toContain('kvm');
    const emulated = accelerationArguments({ usable: false });
    expect(emulated).toContain('tcg,thread=multi');
    expect(emulated, 'with SMAP no Wine runs in it').toContain('max,-smap');
  });
});

describe('an interrupted probe', () => {
  it('is killed and removed unless its service still runs', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'vc-kvm-'));
    const ours = await createProbeDirectory(parent);
    // Not in use: Linux process ids end at 4,194,304.
    const theirs = join(parent, 'kvm-5000000-1-abcdef');
    await mkdir(theirs);
    await writeFile(join(parent, 'kvm.json'), '{}');
    const guest = spawn('sleep', ['600'], { stdio: 'ignore' });
    const ended = once(guest, 'exit');
    const { startTime } = parseStat(await readFile(`/proc/${guest.pid}/stat`, 'utf8'));
    const record = `boot ${await currentBootId()} ${process.getuid?.()}\npid ${guest.pid} ${startTime}\n`;
    await writeFile(join(theirs, 'process'), record);
    await removeAbandonedProbes(parent);
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect((await readdir(parent)).sort()).toEqual([ours.slice(parent.length + 1), 'kvm.json']);
    await rm(parent, { recursive: true });
  });
});
