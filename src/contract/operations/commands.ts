import { act, input } from '../access/rights.js';
import { Bash, BashLine, BashResult, Exec, ExecResult } from '../actions/commands.js';
import { Job, JobQuery, Jobs, JobWithOutput } from '../jobs.js';
import { Browser, OpenBrowser } from '../sockets/browser.js';
import { computerPaths, type Operations } from './operation.js';

export const commandsOperations = {
  bash: {
    method: 'POST',
    paths: computerPaths('/bash'),
    tag: 'Commands',
    summary: 'Run a command',
    description:
      'Runs as `user` in the environment of the desktop. When the client disconnects, the process group is killed. A background command continues as a job.',
    access: act.project,
    audit: 'bash',
    body: Bash,
    response: BashResult,
    media: { 'application/x-ndjson': BashLine },
  },
  exec: {
    method: 'POST',
    paths: computerPaths('/exec'),
    tag: 'Commands',
    summary: 'Run Python code',
    description: 'Runs Python 3 as `user` in the environment of the desktop.',
    access: act.project,
    audit: 'python',
    body: Exec,
    response: ExecResult,
  },
  listJobs: {
    method: 'GET',
    paths: computerPaths('/jobs'),
    tag: 'Commands',
    summary: 'List the commands that were started in the background',
    access: act.project,
    response: Jobs,
  },
  getJob: {
    method: 'GET',
    paths: computerPaths('/jobs/:job'),
    tag: 'Commands',
    summary: 'Get a background command with a part of its output',
    description: 'Continue reading at `next_offset`.',
    access: act.project,
    query: JobQuery,
    response: JobWithOutput,
  },
  endJob: {
    method: 'POST',
    paths: computerPaths('/jobs/:job/end'),
    tag: 'Commands',
    summary: "End a background command's process group",
    description: 'Terminates the process group, and kills it after 2 s.',
    access: act.project,
    audit: 'job end',
    response: Job,
  },
  openBrowser: {
    method: 'POST',
    paths: computerPaths('/browser'),
    tag: 'Browser',
    summary: 'Open the browser for a program: Playwright, Puppeteer, Stagehand',
    description:
      'Starts Chromium if it does not run. The address is for one connection, within a minute, and needs no key.',
    access: input,
    audit: 'cdp',
    body: OpenBrowser,
    response: Browser,
  },
} as const satisfies Operations;
