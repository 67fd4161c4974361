import type { WarmUp } from '../engines/engine.js';
import { READY_SCRIPT } from '../fleet/lifecycle/readiness.js';
import { openScreen } from '../screen/index.js';
import { openShell } from '../shell/shell.js';

const FIRST_MS = 30_000;

/** Does what most clients do first: reads the screen and runs a command, once the desktop is painted. */
export async function warmUp({ dial, access, pixels, signal }: WarmUp): Promise<void> {
  const options = { signal, pixels, timeoutMs: FIRST_MS };
  const screen = await openScreen(await dial('screen'), options);
  screen.close();
  if (access === undefined) return;
  const shell = await openShell(await dial('shell'), {
    ...{ ...access, signal },
    timeoutMs: FIRST_MS,
  });
  try {
    await shell.run({ command: READY_SCRIPT, timeoutMs: FIRST_MS, background: false });
    await shell.python({ code: 'pass', timeoutMs: FIRST_MS });
  } finally {
    shell.close();
  }
}
