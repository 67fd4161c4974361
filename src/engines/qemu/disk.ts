import { execa } from 'execa';
import { ApiError } from '../../contract/errors.js';

/** A machine's account: what runs as it reaches no other machine's files. */
export interface RunsAs {
  readonly uid: number;
  readonly gid: number;
}

const TOOL_MS = 600_000;

/**
 * Layers that a disk may have before it is put together again at the next start, and above which it
 * is not forked any more: QEMU keeps every layer open and asks them one after the other.
 */
export const LAYERS = { usual: 10, most: 40 };

/** Takes into the uppermost layer all that lies between it and `backing`. It may take minutes. */
export async function flatten(
  directory: string,
  { top, backing }: { readonly top: string; readonly backing: string },
  account: RunsAs,
  signal?: AbortSignal,
): Promise<void> {
  const argv = ['rebase', '-q', '-f', 'qcow2', '-F', 'qcow2', '-b', backing, top];
  await qemuImg(argv, { cwd: directory, signal, account });
}

interface ToolOptions {
  readonly cwd?: string;
  readonly account?: RunsAs;
  readonly signal?: AbortSignal | undefined;
}

async function qemuImg(argv: readonly string[], { cwd, account, signal }: ToolOptions) {
  const own = process.getuid?.() !== 0 || account === undefined;
  const result = await execa('qemu-img', argv, {
    reject: false,
    timeout: TOOL_MS,
    stdin: 'ignore',
    ...(cwd !== undefined && { cwd }),
    ...(signal && { cancelSignal: signal }),
    ...(!own && { uid: account.uid, gid: account.gid }),
  });
  if (!result.failed) return result;
  signal?.throwIfAborted();
  const words =
    String(result.stderr ?? '')
      .trim()
      .split('\n')
      .at(-1) || String(result.shortMessage);
  const full = /No space left/i.test(words) ? ' Free some room on the host.' : '';
  throw new ApiError('internal', `A disk could not be made: ${words}.${full}`, { cause: result });
}
