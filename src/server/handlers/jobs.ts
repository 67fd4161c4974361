import type { Job } from '../../contract/jobs.js';
import type { JobState } from '../../shell/jobs/types.js';
import type { Shell } from '../../shell/types.js';
import type { Handlers } from './handlers.js';

type Names = 'listJobs' | 'getJob' | 'endJob';

export const jobHandlers: Pick<Handlers, Names> = {
  listJobs: async ({ fleet, computer, signal }) => {
    const jobs = await fleet.actions.jobs(computer, (shell, s) => shell.jobs.list(s), signal);
    fleet.jobWatch.seen(computer, jobs);
    return { jobs: jobs.map(view) };
  },
  getJob: async ({ fleet, computer, params, query, signal }) => {
    const id = params.job ?? '';
    const get = (shell: Shell, s: AbortSignal) => shell.jobs.get(id, query, s);
    const job = await fleet.actions.jobs(computer, get, signal);
    fleet.jobWatch.seen(computer, [job]);
    return { ...view(job), output: job.output, next_offset: job.nextOffset };
  },
  endJob: async ({ fleet, computer, params, signal }) => {
    const end = (shell: Shell, s: AbortSignal) => shell.jobs.end(params.job ?? '', s);
    const job = await fleet.actions.jobs(computer, end, signal);
    fleet.jobWatch.seen(computer, [job]);
    return view(job);
  },
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
