import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../../lib/json/parse.js';

/** Why guests do not run under KVM, and the command that fixes it if there is one. */
export interface KvmProblem {
  readonly reason: string;
  readonly remedy?: string | undefined;
}

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
