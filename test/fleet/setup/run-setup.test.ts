// @module-tag slow
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../../src/fleet/sessions/session.js';
import { runSetup } from '../../../src/fleet/setup/run-setup.js';
import { SETUP_JOB } from '../../../src/shell/jobs/id.js';
import { prepareSetupJob } from '../../../src/shell/jobs/scripts.js';
import { type Guest, openGuest } from '../../shell/support/guest.js';

let guest: Guest;
let session: Session;
const { signal } = new AbortController();

beforeEach(async () => {
  guest = await openGuest({ env: () => ({ GREETING: "it's me" }) });
  session = {
    shell: { prepare: (work: (shell: Guest['shell']) => unknown) => work(guest.shell) },
  } as unknown as Session;
});
afterEach(() => guest.close());

const run = (script: string, id = 'cmp_1', withinMs?: number) =>
  runSetup(session, { id, script, ...(withinMs !== undefined && { withinMs }) }, signal);
const bash = async (command: string) =>
  (await guest.shell.run({ command, timeoutMs: 10_000, background: false })).stdout;
const log = async () =>
  (await guest.shell.jobs.get(SETUP_JOB, { offset: 0, limit: 1000 }, signal)).output;

describe('the setup of a computer', () => {
  it('runs once, with the variables, as the job setup', async () => {
    await run('echo "$GREETING"; echo run >>~/runs');
    await run('echo run >>~/runs');
    expect(await bash('cat ~/runs')).toBe('run\n');
    expect(await log()).toBe("it's me\n");
    expect((await guest.shell.jobs.list(signal)).map(({ id }) => id)).toEqual([SETUP_JOB]);
  });

  it('runs in a copy that has the job of its original', async () => {
    await run('echo one');
    await run('echo two', 'cmp_2');
    expect(await log()).toBe('two\n');
  });

  it('that fails says its exit code and the last line', async () => {
    await expect(run('echo first; echo "E: no \u001b[31mroom" >&2; echo; exit 3')).rejects.toThrow(
      /^The setup failed with exit code 3: E: no \[31mroom$/,
    );
  });

  it('that hangs or prints for ever is ended', async () => {
    const script = 'trap "" TERM; yes';
    // Started before the second begins: on a busy host it may take longer.
    await bash(prepareSetupJob('cmp_1'));
    const job = { background: true, interpreter: 'bash', jobId: SETUP_JOB } as const;
    await guest.shell.run({ ...job, command: script, timeoutMs: 10_000 });
    await expect(run(script, 'cmp_1', 1_000)).rejects.toThrow('took longer than');
    const exitCode = async () => (await guest.shell.jobs.list(signal))[0]?.exitCode;
    await expect.poll(exitCode, { timeout: 20_000 }).toBe(137);
  });

  it('that was interrupted is not run again', async () => {
    await bash(
      'd=~/.cache/vc/jobs/setup; mkdir -p $d; echo cmp_1 >$d/owner; echo x 1 2 3 4 5 >$d/process',
    );
    await expect(run('echo again')).rejects.toThrow('the computer stopped meanwhile');
  });

  it('ends its wait with the signal', async () => {
    const abort = new AbortController();
    const running = runSetup(session, { id: 'cmp_1', script: 'sleep 60' }, abort.signal);
    running.catch(() => undefined);
    await bash('until [ -e ~/.cache/vc/jobs/setup/process ]; do sleep 0.05; done');
    abort.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
    await guest.shell.jobs.end(SETUP_JOB, signal);
  });
});
