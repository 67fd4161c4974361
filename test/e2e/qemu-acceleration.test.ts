import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootOnce } from '../../src/engines/qemu/acceleration/boot-once.js';
import { kvmDevice } from '../../src/engines/qemu/acceleration/device.js';
import { writeVerdict } from '../../src/engines/qemu/acceleration/verdicts.js';
import { qemuVersion } from '../../src/engines/qemu/acceleration/version.js';
import { PROGRAM } from '../../src/engines/qemu/host.js';
import { createQemuEngine } from '../../src/engines/qemu/index.js';
import { currentBootId } from '../../src/engines/qemu/process/index.js';
import { guestFiles } from '../support/tiny-guest-files.js';

const noKvm = await kvmDevice();
if (noKvm !== undefined) console.warn(`skipped: what a host with KVM says, for ${noKvm}`);

let parent: string;
let emulating: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'vc-acceleration-'));
  // Every user, also a machine's, is to find the program; only that one file is in there.
  await chmod(parent, 0o711);
  emulating = join(parent, 'qemu-under-emulation');
  await writeFile(emulating, EMULATING, { mode: 0o755 });
  await mkdir(join(parent, 'state'), { mode: 0o700 });
});
afterAll(() => rm(parent, { recursive: true, force: true }));

/** QEMU as on a host where KVM works: what it is told of KVM, it emulates. */
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
  const found = await bootOnce(request, stateDirectory, mostMs);
  expect(await readdir(stateDirectory)).toEqual([]);
  return found;
}

describe('acceleration is believed in', () => {
  it('when a guest has come up with it', async () => {
    expect(await boot(emulating, 90_000)).toBeUndefined();
  });

  it('and not when the guest ends before, with what QEMU said', async () => {
    const nothing = join(parent, 'nothing');
    await writeFile(nothing, 'no kernel');
    expect(await boot(emulating, 90_000, nothing)).toMatch(/a guest fails under KVM.*kernel/);
  });

  it('and not when nothing happens in time', async () => {
    const waiting = join(parent, 'waiting');
    await writeFile(waiting, '#!/bin/sh\nexec sleep 100\n', { mode: 0o755 });
    expect(await boot(waiting, 1_000)).toBe('a guest did not come up under KVM within 1 s');
  });
});

it.skipIf(noKvm !== undefined)(
  'a service that starts knows what isolates its machines',
  async () => {
    const directory = join(parent, 'engine');
    const image = join(directory, 'images', 'linux');
    await mkdir(image, { recursive: true });
    for (const name of ['kernel', 'initrd']) await writeFile(join(image, name), name);
    await mkdir(join(directory, 'machines', 'one'), { recursive: true });
    await mkdir(join(directory, 'qemu'));
    const key = {
      bootId: await currentBootId(),
      qemuVersion: await qemuVersion(PROGRAM),
      kernelHash: createHash('sha256').update('kernel').digest('hex'),
    };
    await writeVerdict(join(directory, 'qemu'), key, { usable: true });
    const options = { directory, serviceId: 'test', internet: false, allowNetworks: [] };
    const engine = createQemuEngine(options);
    expect(engine.features.isolation).toBe('emulated');
    await engine.list();
    expect(engine.features.isolation).toBe('vm');
    await engine.close();
  },
);
