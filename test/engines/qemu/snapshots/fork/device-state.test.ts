import { access, type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { QemuProcess } from '../../../../../src/engines/qemu/machine/qemu-process.js';
import {
  createDevicePipe,
  deviceStateProblem,
  releasingDevices,
  saveDevices,
} from '../../../../../src/engines/qemu/snapshots/fork/device-state.js';
import {
  memoryProblem,
  type PythonProgram,
  startPython,
} from '../../../../support/qemu/changed-memory.js';
import { describeUnless } from '../../../../support/run/needs.js';

/** Writes to the pipe as QEMU does: opens it, which lasts until it has a reader. */
const WRITER = `
import os, sys
os.chdir(sys.argv[1])
print("ready", flush=True)
for line in sys.stdin:
    if line.strip() == "fail":
        print("failed", flush=True)
        continue
    try:
        out = os.open("devices", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o660)
        for _ in range(40):
            os.write(out, b"state." * 1024)
        os.close(out)
        print("saved", flush=True)
    except OSError as error:
        print(error, flush=True)
`;
const STATE_BYTES = 40 * 6 * 1024;

describeUnless(memoryProblem())('the state of the devices', () => {
  let directory: string;
  let program: PythonProgram;
  let memory: FileHandle;
  let qemu: QemuProcess;
  let order = 'save';
  beforeEach(async () => {
    order = 'save';
    directory = await mkdtemp(join(tmpdir(), 'vc-devices-'));
    program = await startPython(WRITER, [directory]);
    memory = await open(`/proc/${program.pid}/mem`, 'r');
    const workspace = { directory, account: { kind: 'own', uid: 0, gid: 0 } as const };
    await createDevicePipe(workspace);
    const execute = async () => {
      const answer = await program.ask(order);
      if (answer !== 'saved') throw new Error(answer);
      return {};
    };
    qemu = { identity: { pid: program.pid }, workspace, execute } as unknown as QemuProcess;
  });
  afterEach(async () => {
    await program.close();
    await memory.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('is saved after the work for which QEMU is held', async () => {
    expect(await deviceStateProblem(program.pid)).toBeUndefined();
    const events: string[] = [];
    const state = await saveDevices(qemu, memory, async () => {
      events.push('held');
      await new Promise((resolve) => setTimeout(resolve, 50));
      events.push('released');
    });
    expect(events).toEqual(['held', 'released']);
    expect(state).toHaveLength(STATE_BYTES);
    expect(state.subarray(-6).toString()).toBe('state.');
  });

  it('does not hold QEMU any longer if the work fails', async () => {
    const failing = saveDevices(qemu, memory, async () => {
      throw new Error('no space left');
    });
    await expect(failing).rejects.toThrow('no space left');
    expect(await program.ask('fail')).toBe('failed');
  });

  it('is an error if QEMU refuses to save it', async () => {
    order = 'fail';
    let isHeld = false;
    const failing = saveDevices(qemu, memory, async () => {
      isHeld = true;
    });
    await expect(failing).rejects.toThrow('failed');
    expect(isHeld).toBe(false);
  });

  it('of a service that was killed holds QEMU until the next one releases it', async () => {
    const answer = program.ask('save');
    const first = await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 200))]);
    expect(first).toBeUndefined();
    await releasingDevices(directory, async () => {
      expect(await answer).toBe('saved');
    });
    await expect(access(join(directory, 'devices'))).rejects.toThrow('ENOENT');
  });

  it('keeps the pipe while QEMU does not answer', async () => {
    const silent = releasingDevices(directory, async () => {
      throw new Error('no answer');
    });
    await expect(silent).rejects.toThrow('no answer');
    await access(join(directory, 'devices'));
  });

  it('is not read from a file that QEMU has put there', async () => {
    await rm(join(directory, 'devices'));
    await writeFile(join(directory, 'devices'), 'trap');
    expect(await releasingDevices(directory, async () => 'done')).toBe('done');
    await access(join(directory, 'devices'));
  });
});
