import { execa } from 'execa';
import { ApiError } from '../../../contract/errors.js';
import type { Account } from '../process/account.js';

const TIMEOUT_MS = 600_000;

/**
 * QEMU keeps every layer open and searches them one by one. A disk with more layers than
 * `flattenAbove` is flattened when it next boots; one with `max` layers cannot be forked. Each layer
 * can become as large as the disk: one whose layers take more than `maxSizes` times its size on the
 * host is flattened as well, and cannot be forked while it runs.
 */
export const LAYERS = { flattenAbove: 10, max: 40, maxSizes: 3 };

/** Merges all layers between `backing` and `top` into `top`. Can take minutes. */
export async function flatten(
  directory: string,
  { top, backing }: { readonly top: string; readonly backing: string },
  { kind, uid, gid }: Account,
  signal?: AbortSignal,
): Promise<void> {
  const argv = ['rebase', '-q', '-f', 'qcow2', '-F', 'qcow2', '-b', backing, top];
  const result = await execa('qemu-img', argv, {
    cwd: directory,
    reject: false,
    timeout: TIMEOUT_MS,
    stdin: 'ignore',
    ...(signal && { cancelSignal: signal }),
    // The machine's user: a guest may have tampered with its layers.
    ...(kind === 'machine' && { uid, gid }),
  });
  if (!result.failed) return;
  signal?.throwIfAborted();
  const reason =
    String(result.stderr ?? '')
      .trim()
      .split('\n')
      .at(-1) || String(result.shortMessage);
  throw new ApiError('internal', `The disk's layers cannot be merged: ${reason}`, {
    cause: result,
    ...(/No space left/i.test(reason) && { remedy: "free some space on the host's disk" }),
  });
}
