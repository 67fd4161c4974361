import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { currentBootId } from '../../../lib/process/identity.js';
import { errorMessage } from '../../../lib/text/error-message.js';
import { kvmAccessProblem } from '../process/devices.js';
import { toolVersion } from '../tool-version.js';
import { bootProbe, type KvmProbeRequest } from './boot-probe.js';
import { probesIn } from './probe-directory.js';
import { type KvmVerdict, readVerdict, writeVerdict } from './verdicts.js';

/** Under KVM the probe boots in about a second. */
const BOOT_MS = 10_000;

/**
 * Boots the guest's kernel under KVM, because on some hosts /dev/kvm opens and answers although no
 * guest runs. The result is cached per boot of the host, QEMU version and kernel. Takes at most
 * 10 s. Throws only if the signal is aborted.
 */
export async function probeKvm(request: KvmProbeRequest): Promise<KvmVerdict> {
  const { stateDirectory, program, kernel, signal } = request;
  const problem = await kvmAccessProblem();
  if (problem !== undefined) return { usable: false, ...problem };
  try {
    const directory = probesIn(stateDirectory);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const key = {
      bootId: await currentBootId(),
      qemuVersion: await toolVersion(program, signal),
      kernelHash: await hashOf(kernel),
    };
    const known = await readVerdict(directory, key);
    if (known !== undefined) return known;
    const reason = await bootProbe(request, directory, BOOT_MS);
    const verdict: KvmVerdict = reason === undefined ? { usable: true } : { usable: false, reason };
    await writeVerdict(directory, key, verdict);
    return verdict;
  } catch (error) {
    signal?.throwIfAborted();
    return { usable: false, reason: `the test of KVM failed: ${errorMessage(error)}` };
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
