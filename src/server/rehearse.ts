import type { Rehearsal } from '../engines/qemu/index.js';
import { openScreen } from '../screen/index.js';
import { openShell } from '../shell/index.js';

const FIRST_MS = 30_000;

/** What most clients do first with a computer: look at it, and run something. */
export async function rehearse({ dial, access, signal }: Rehearsal): Promise<void> {
  const screen = await openScreen(await dial('screen'), { signal, timeoutMs: FIRST_MS });
  screen.close();
  if (access === undefined) return;
  const shell = await openShell(await dial('shell'), { ...access, signal });
  try {
    await shell.run({ command: 'true', timeoutMs: FIRST_MS, background: false });
    await shell.python({ code: 'pass', timeoutMs: FIRST_MS });
  } finally {
    shell.close();
  }
}
