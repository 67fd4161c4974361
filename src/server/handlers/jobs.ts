import type { Job } from '../../contract/jobs.js';
import type { JobState } from '../../shell/jobs/types.js';
import type { Handlers } from './handlers.js';

type Names = 'listJobs' | 'getJob' | 'endJob';

export const jobHandlers: Pick<Handlers, Names> = {
  listJobs: ({ fleet, computer, signal }) =>
    fleet.actions.ask(
      computer,
      async (shell, s) => ({ jobs: (await shell.jobs.list(s)).map(view) }),
      signal,
    ),
  getJob: ({ fleet, computer, params, query, signal }) =>
    fleet.actions.ask(
      computer,
      async (shell, s) => {
        const job = await shell.jobs.get(params.job ?? '', query, s);
        return { ...view(job), output: job.output, next_offset: job.nextOffset };
      },
      signal,
    ),
  endJob: ({ fleet, computer, params, signal }) =>
    fleet.actions.ask(
      computer,
      async (shell, s) => view(await shell.jobs.end(params.job ?? '', s)),
      signal,
    ),
};

/** As the contract shows it. */
function view(job: JobState): Job {
  return {
    id: job.id,
    pid: job.pid,
    status: job.status,
    exit_code: job.exitCode,
    command: job.command,
    started_at: job.startedAt.toISOString(),
    ended_at: job.endedAt?.toISOString() ?? null,
    output_bytes: job.outputBytes,
    truncated: job.truncated,
  };
}
