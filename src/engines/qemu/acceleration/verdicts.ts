import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { KvmVerdict } from './kvm.js';

/** What a verdict holds for. */
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

/** What was found before, if that host, QEMU and kernel are the same still. */
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
  const { success, data } = File.safeParse(parsed(text));
  const same = success && data.bootId === key.bootId && data.qemuVersion === key.qemuVersion;
  return same ? data.kernels : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
