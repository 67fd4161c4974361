import { ApiError } from '../../contract/errors.js';
import { retryUntilSuccess } from '../../lib/async/retry.js';
import { excerpt } from '../../lib/text/printable.js';
import { SETUP_JOB } from '../../shell/jobs/id.js';
import { FOUND, prepareSetupJob } from '../../shell/jobs/scripts.js';
import type { JobState } from '../../shell/jobs/types.js';
import type { Shell } from '../../shell/types.js';
import { withGuestDeadline } from '../guest-deadline.js';
import type { Session } from '../sessions/session.js';
import { SetupFailed } from './setup-failed.js';

/** Milliseconds that the script may run. */
export const MOST_SETUP_MS = 30 * 60_000;
/** Milliseconds that one request waits for its end. */
const WAIT_MS = 20_000;
/** Milliseconds for another request. */
const ANSWER_MS = 15_000;
/** Bytes of the end of the output in which its last line is looked for. */
const LAST_BYTES = 4096;

interface SetupScript {
  /** Of the computer. */
  readonly id: string;
  readonly script: string;
  readonly withinMs?: number;
}

/**
 * Runs the script as the job {@link SETUP_JOB} and waits for its end; one that was started for this
 * computer before is only waited for. Connections that are lost meanwhile are opened again. Throws
 * {@link SetupFailed} if it does not end with 0 in time.
 */
export async function runSetup(
  session: Session,
  { id, script, withinMs = MOST_SETUP_MS }: SetupScript,
  signal: AbortSignal,
): Promise<void> {
  const late = `The setup was ended, because it took longer than ${withinMs / 60_000} minutes.`;
  session.settingUp = true;
  try {
    const job = await withGuestDeadline(withinMs, late, signal, async (inner) => {
      const work = () => startAndWait(session, { id, script }, inner);
      return retryUntilSuccess(work, { signal: inner, isPermanent });
    });
    if (job.exitCode !== 0) throw await failure(session, job, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ApiError && error.message === late)) throw error;
    await ask(session, (shell, inner) => shell.jobs.end(SETUP_JOB, inner), signal).catch(
      () => undefined,
    );
    throw new SetupFailed(late);
  } finally {
    session.settingUp = false;
  }
}

async function startAndWait(
  session: Session,
  { id, script }: Pick<SetupScript, 'id' | 'script'>,
  signal: AbortSignal,
): Promise<JobState> {
  const input = { timeoutMs: ANSWER_MS, signal } as const;
  await ask(
    session,
    async (shell) => {
      const command = prepareSetupJob(id);
      const { stdout, exitCode } = await shell.run({ ...input, command, background: false });
      if (stdout.trim() === FOUND) return;
      if (exitCode !== 0)
        throw new SetupFailed('The setup cannot be started: no room in the home directory.');
      const job = { command: script, interpreter: 'bash', background: true } as const;
      await shell.run({ ...input, ...job, jobId: SETUP_JOB });
    },
    signal,
  );
  for (;;) {
    const wait = (shell: Shell) => shell.jobs.settled([SETUP_JOB], WAIT_MS, signal);
    const [job] = await session.shell.prepare(wait, signal);
    if (job === undefined) throw new SetupFailed('The setup has removed its own job.');
    if (job.status === 'exited') return job;
  }
}

function ask<T>(
  { shell }: Session,
  work: (shell: Shell, signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const late = 'The computer did not answer about its setup.';
  return withGuestDeadline(2 * ANSWER_MS, late, signal, (inner) =>
    shell.prepare((open) => work(open, inner), inner),
  );
}

function isPermanent(error: unknown): boolean {
  if (error instanceof SetupFailed) return true;
  return error instanceof ApiError && error.code === 'engine_unavailable';
}

/** Says how it ended, with the last line that it printed. */
async function failure(
  session: Session,
  { exitCode, outputBytes }: JobState,
  signal: AbortSignal,
): Promise<SetupFailed> {
  if (exitCode === null) {
    return new SetupFailed('The setup did not end, because the computer stopped meanwhile.');
  }
  const range = { offset: Math.max(0, outputBytes - LAST_BYTES), limit: LAST_BYTES };
  const { output } = await ask(
    session,
    (shell, inner) => shell.jobs.get(SETUP_JOB, range, inner),
    signal,
  ).catch(() => ({ output: '' }));
  const last = excerpt(output.trimEnd().split('\n').at(-1) ?? '');
  return new SetupFailed(`The setup failed with exit code ${exitCode}${last && `: ${last}`}`);
}
