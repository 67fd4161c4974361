import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { parseJson } from '../../../lib/json/parse.js';
import { currentBootId } from '../../../lib/process/identity.js';
import { errorMessage } from '../../../lib/text/error-message.js';
import { type KvmProblem, kvmAccessProblem } from '../process/devices.js';
import { toolVersion } from '../tool-version.js';
import { bootProbe, type KvmProbeRequest, probesIn } from './boot-probe.js';

/** Whether guests run under KVM on this host. */
export type KvmVerdict = { readonly usable: true } | ({ readonly usable: false } & KvmProblem);

/** A cached verdict is valid only if all of this is the same. */
export interface VerdictKey {
  readonly bootId: string;
  readonly qemuVersion: string;
  readonly kernelHash: string;
}

const File = z.object({
  bootId: z.string(),
  qemuVersion: z.string(),
  kernels: z.record(
    z.string(),
    z.discriminatedUnion('usable', [
      z.object({ usable: z.literal(true) }),
      z.object({ usable: z.literal(false), reason: z.string() }),
    ]),
  ),
});

/** Under KVM the probe boots in about a second. */
const BOOT_MS = 10_000;

/**
 * Boots the guest's kernel under KVM: on some hosts /dev/kvm opens and answers, but no guest runs.
 * The result is cached per boot of the host, QEMU version and kernel. Takes at most 10 s. Throws
 * only if the signal is aborted.
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

/** The cached verdict; undefined if there is none for this key. */
export async function readVerdict(
  directory: string,
  key: VerdictKey,
): Promise<KvmVerdict | undefined> {
  return (await kernels(directory, key))[key.kernelHash];
}

export async function writeVerdict(
  directory: string,
  key: VerdictKey,
  verdict: KvmVerdict,
): Promise<void> {
  const { bootId, qemuVersion, kernelHash } = key;
  const known = { ...(await kernels(directory, key)), [kernelHash]: verdict };
  const part = join(directory, `kvm.json.${randomUUID()}`);
  await writeFile(part, `${JSON.stringify({ bootId, qemuVersion, kernels: known })}\n`, {
    mode: 0o600,
  });
  await rename(part, join(directory, 'kvm.json'));
}

async function kernels(directory: string, key: VerdictKey): Promise<Record<string, KvmVerdict>> {
  const text = await readFile(join(directory, 'kvm.json'), 'utf8').catch(() => '');
  const { success, data } = File.safeParse(parseJson(text));
  const same = success && data.bootId === key.bootId && data.qemuVersion === key.qemuVersion;
  return same ? data.kernels : {};
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
