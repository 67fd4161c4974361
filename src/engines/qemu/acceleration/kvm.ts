import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { currentBootId } from '../process/identity.js';
import { bootOnce } from './boot-once.js';
import { kvmDevice } from './device.js';
import { probesIn } from './probe-directory.js';
import { readVerdict, writeVerdict } from './verdicts.js';
import { qemuVersion } from './version.js';

/** A guest that KVM runs is there in a second. */
const MOST_MS = 10_000;

/** Do guests run under KVM here? If not: why. */
export type KvmVerdict =
  | { readonly usable: true }
  | { readonly usable: false; readonly reason: string };

export interface KvmProbeRequest {
  /** The service's state; what was found is kept in `qemu/kvm.json` there. */
  readonly stateDirectory: string;
  readonly program: string;
  readonly kernel: string;
  /** One that says `vc-probe-ok` on the console when `vc.probe` is on the kernel's command line. */
  readonly initrd: string;
  readonly signal?: AbortSignal;
}

/**
 * Boots the guest's kernel under KVM, which is the only proof: a /dev/kvm can open and answer, and
 * yet every guest fail in it. Once for each start of the host, version of QEMU and kernel; it takes
 * 10 s at most. Throws only when the signal ends it.
 */
export async function probeKvm(request: KvmProbeRequest): Promise<KvmVerdict> {
  const { stateDirectory, program, kernel, signal } = request;
  const closed = await kvmDevice();
  if (closed !== undefined) return { usable: false, reason: closed };
  try {
    const directory = probesIn(stateDirectory);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const key = {
      bootId: await currentBootId(),
      qemuVersion: await qemuVersion(program, signal),
      kernelHash: await hashOf(kernel),
    };
    const known = await readVerdict(directory, key);
    if (known !== undefined) return known;
    const reason = await bootOnce(request, directory, MOST_MS);
    const verdict: KvmVerdict = reason === undefined ? { usable: true } : { usable: false, reason };
    await writeVerdict(directory, key, verdict);
    return verdict;
  } catch (error) {
    signal?.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    return { usable: false, reason: `KVM could not be tried: ${reason}` };
  }
}

/**
 * QEMU's arguments: under emulation, the fastest and fullest processor that it knows, without SMAP.
 * Before version 9.1 QEMU takes the IRET with which Wine and .NET go on with a thread for one of the
 * kernel's, and with SMAP the guest's kernel kills the program for the access.
 */
export function accelerationArguments(verdict: KvmVerdict): string[] {
  return verdict.usable
    ? ['-accel', 'kvm', '-cpu', 'host']
    : ['-accel', 'tcg,thread=multi', '-cpu', 'max,-smap'];
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
