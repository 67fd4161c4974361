import type { Rehearsal } from '../engines/qemu/index.js';
import { openScreen } from '../screen/index.js';
import { openShell } from '../shell/index.js';

const FIRST_MS = 30_000;

/** What most clients do first with a computer: look at it, and run something. */
export async function rehearse({ dial, access, pixels, signal }: Rehearsal): Promise<void> {
  const options = { signal, pixels, timeoutMs: FIRST_MS };
  const screen = await openScreen(await dial('screen'), options);
  screen.close();
  if (access === undefined) return;
  const shell = await openShell(await dial('shell'), {
    ...{ ...access, signal },
    timeoutMs: FIRST_MS,
  });
  try {
    await shell.run({ command: 'true', timeoutMs: FIRST_MS, background: false });
    await shell.python({ code: 'pass', timeoutMs: FIRST_MS });
  } finally {
    shell.close();
  }
}
