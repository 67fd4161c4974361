import { createHash } from 'node:crypto';
import { ApiError } from '../../contract/errors.js';
import { excerpt } from '../../lib/text/printable.js';
import type { RunInput } from '../../shell/types.js';
import { withGuestDeadline } from '../guest-deadline.js';
import { wantedSize } from '../lifecycle/machine-size.js';
import type { Session } from '../sessions/session.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';
import { fitScreen } from './resize-screen.js';
import { runSetup } from './run-setup.js';
import { checkTimezone, makeLocale, restartDesktop, WITHOUT_SUDO, writeFiles } from './scripts.js';
import { SetupFailed } from './setup-failed.js';
import { isToMake, variablesOf } from './variables.js';

/** Milliseconds for a script beyond its own time, to reach the guest. */
const MARGIN_MS = 15_000;
/** Milliseconds for writing the files. */
const FILES_MS = 60_000;

export interface Configuring {
  readonly id: string;
  readonly store: Store;
  /** Milliseconds for the desktop to start again. */
  readonly withinMs: number;
}

/**
 * Configures a guest that has just become ready: variables, time zone and locale at each start, files
 * and the setup script once. What was done is recorded, and is not done again after a
 * crash of the service; a script that still runs is waited for. Throws {@link SetupFailed} for files or
 * a script that failed, which are not tried again.
 */
export async function configure(
  session: Session,
  { id, store, withinMs }: Configuring,
  signal: AbortSignal,
): Promise<void> {
  const record = store.computers.findById(id);
  if (record === undefined) return;
  const setup = store.setups.find(id);
  const variables = variablesOf(record, store);
  const names = Object.keys(variables);
  // Its machine may have been made, or saved, with another screen.
  const { resolution } = wantedSize(record);
  const isOtherScreen =
    record.machine_size !== null && (await fitScreen(session, resolution, signal));
  if (!isOtherScreen && setup === undefined && names.length === 0 && record.sudo === 1) return;
  const { shell } = await session.describe(signal);
  if (shell === undefined) {
    const message = 'Variables, files and a setup need a shell, which the image does not have.';
    throw new ApiError('unsupported', message);
  }
  const run = (command: string, ms: number, env?: Record<string, string>) =>
    runScript(session, { command, timeoutMs: ms, background: false, ...(env && { env }) }, signal);

  for (const command of beforeDesktop(record)) succeed(await run(command, withinMs));
  if (isOtherScreen || names.length > 0) {
    const desktop = isOtherScreen ? { variables, resolution } : variables;
    const digest = createHash('sha256').update(JSON.stringify(desktop)).digest('hex');
    succeed(await run(restartDesktop(names, digest), withinMs, variables));
  }
  if (setup === undefined) return;
  try {
    if (setup.next === 'files' && setup.files.length > 0) {
      const { exitCode, stdout } = await run(writeFiles(setup.files), FILES_MS);
      if (exitCode !== 0) {
        throw new SetupFailed(`A file could not be written: ${excerpt(stdout) || 'no answer'}`);
      }
    }
    store.setups.setNext(id, 'script');
    if (setup.script !== undefined)
      await runSetup(session, { ...record, script: setup.script }, signal);
  } catch (error) {
    if (error instanceof SetupFailed) store.setups.setNext(id, 'nothing');
    throw error;
  }
  store.setups.setNext(id, 'nothing');
}

function beforeDesktop(record: ComputerRecord): string[] {
  return [
    ...(record.sudo === 1 ? [] : [WITHOUT_SUDO]),
    ...(record.timezone === null ? [] : [checkTimezone(record.timezone)]),
    ...(isToMake(record.locale) ? [makeLocale(record.locale)] : []),
  ];
}

function runScript({ shell }: Session, input: RunInput, signal: AbortSignal) {
  const late = 'The computer did not answer while it was configured.';
  return withGuestDeadline(input.timeoutMs + MARGIN_MS, late, signal, (inner) =>
    shell.prepare((open) => open.run({ ...input, signal: inner }), inner),
  );
}

function succeed({
  exitCode,
  stderr,
  timedOut,
}: {
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly timedOut: boolean;
}): void {
  if (exitCode === 0) return;
  const reason = excerpt(stderr) || 'its shell does not run the script of the service.';
  const message = timedOut ? 'it took too long' : reason;
  throw new ApiError('guest_failed', `The computer could not be configured: ${message}`);
}
