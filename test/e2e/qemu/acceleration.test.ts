import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootProbe } from '../../../src/engines/qemu/acceleration/boot-probe.js';
import { writeVerdict } from '../../../src/engines/qemu/acceleration/kvm.js';
import { createQemuEngine } from '../../../src/engines/qemu/engine.js';
import { PROGRAM } from '../../../src/engines/qemu/host.js';
import { kvmAccessProblem } from '../../../src/engines/qemu/process/devices.js';
import { toolVersion } from '../../../src/engines/qemu/tool-version.js';
import { currentBootId } from '../../../src/lib/process/identity.js';
import { guestFiles } from '../../support/qemu/tiny-guest-files.js';
import { itUnless } from '../../support/run/needs.js';

const noKvm = (await kvmAccessProblem())?.reason;

let parent: string;
let emulating: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'vc-acceleration-'));
  // The machines' users must be able to execute the program.
  await chmod(parent, 0o711);
  emulating = join(parent, 'qemu-under-emulation');
  await writeFile(emulating, EMULATING, { mode: 0o755 });
  await mkdir(join(parent, 'state'), { mode: 0o700 });
});
afterAll(() => rm(parent, { recursive: true, force: true }));

/** Simulates QEMU on a host with KVM: replaces KVM by emulation. */
const EMULATING = `#!/bin/bash
arguments=()
for argument in "$@"; do
  case $argument in
    kvm) argument=tcg,thread=multi ;;
    host) argument=max ;;
  esac
  arguments+=("$argument")
done
exec qemu-system-x86_64 "\${arguments[@]}"
`;

async function boot(program: string, mostMs: number, kernel?: string): Promise<string | undefined> {
  const files = await guestFiles();
  const stateDirectory = join(parent, 'state');
  const request = { stateDirectory, program, initrd: files.initrd, kernel: kernel ?? files.kernel };
  const found = await bootProbe(request, stateDirectory, mostMs);
  expect(await readdir(stateDirectory)).toEqual([]);
  return found;
}

describe('KVM', () => {
  it('is usable if a guest boots with it', async () => {
    expect(await boot(emulating, 90_000)).toBeUndefined();
  });

  it("is not usable if the guest fails; the reason has QEMU's output", async () => {
    const nothing = join(parent, 'nothing');
    await writeFile(nothing, 'no kernel');
    expect(await boot(emulating, 90_000, nothing)).toMatch(/a guest fails under KVM.*kernel/);
  });

  it('is not usable if the guest does not boot in time', async () => {
    const waiting = join(parent, 'waiting');
    await writeFile(waiting, '#!/bin/sh\nexec sleep 100\n', { mode: 0o755 });
    expect(await boot(waiting, 1_000)).toBe('a guest did not boot under KVM within 1 s');
  });
});

itUnless(noKvm)('a starting service reports the isolation of its machines', async () => {
  const directory = join(parent, 'engine');
  const image = join(directory, 'images', 'linux');
  await mkdir(image, { recursive: true });
  for (const name of ['kernel', 'initrd']) await writeFile(join(image, name), name);
  await mkdir(join(directory, 'machines', 'one'), { recursive: true });
  await mkdir(join(directory, 'qemu'));
  const key = {
    bootId: await currentBootId(),
    qemuVersion: await toolVersion(PROGRAM),
    kernelHash: createHash('sha256').update('kernel').digest('hex'),
  };
  await writeVerdict(join(directory, 'qemu'), key, { usable: true });
  const options = { directory, serviceId: 'test', internet: false, allowNetworks: [] };
  const engine = createQemuEngine(options);
  expect(engine.capabilities.isolation).toBe('emulated');
  await engine.list();
  expect(engine.capabilities.isolation).toBe('vm');
  await engine.close();
});
