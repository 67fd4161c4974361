import { spawn } from 'node:child_process';
import { chmod, open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeDirectory } from '../../files/directory.js';
import { packageRoot } from '../../package-root.js';
import type { Context } from '../context.js';
import { CliError, UsageError } from '../errors.js';
import { ExitCode } from '../exit-codes.js';
import { done, note, print, printJson } from '../output.js';
import { during } from '../progress.js';
import { FIRST_KEY, NEXT } from './foreground.js';
import { serviceHealth } from './health.js';
import { localBaseUrl } from './listen.js';
import { type ServePlan, serveArguments } from './options.js';

const READY_WITHIN_MS = 20_000;
const LOG_LIMIT = 8 * 1024 * 1024;
const launcher = fileURLToPath(new URL('bin/vc.js', packageRoot));

/** Starts the service as a process of its own and waits until it answers. */
export async function serveDetached(context: Context, plan: ServePlan): Promise<number> {
  if (plan.listen.port === 0) throw new UsageError('--detach needs a port that is known');
  const url = localBaseUrl(plan.listen);
  const running = await serviceHealth(url, context.interrupts.signal);
  if (running !== undefined) {
    if (context.globals.json) await printJson(context, { url, already_running: true });
    else await done(context, `a service runs already on ${url} (version ${running.version})`);
    return ExitCode.ok;
  }
  const log = join(plan.stateDirectory, 'serve.log');
  const child = await launch(context, plan, log);
  await during(context.progress('Starting the service'), ready(context, url, child));
  child.process.unref();
  const { pid } = child.process;
  if (context.globals.json) await printJson(context, { url, pid, log });
  else if (context.globals.quiet) await print(context, String(pid));
  else {
    const notes = await spoken(child);
    await done(context, `listening on ${url}, process ${pid}`);
    for (const line of notes) await note(context, line);
    await note(context, `log: ${log}; stop it with: kill ${pid}`);
    if (notes.some((line) => line.includes(FIRST_KEY))) await note(context, NEXT);
  }
  return ExitCode.ok;
}

interface Child {
  readonly process: ReturnType<typeof spawn>;
  readonly log: string;
  /** Where this run's part of the log begins. */
  readonly logStart: number;
}

async function launch(context: Context, plan: ServePlan, log: string): Promise<Child> {
  makeDirectory(plan.stateDirectory);
  const size = (await stat(log).catch(() => undefined))?.size ?? 0;
  if (size > LOG_LIMIT) await rename(log, `${log}.old`);
  const file = await open(log, 'a', 0o600);
  try {
    await chmod(log, 0o600);
    const child = spawn(process.execPath, [launcher, ...serveArguments(plan)], {
      detached: true,
      stdio: ['ignore', file.fd, file.fd],
      cwd: plan.stateDirectory,
      env: { ...context.env },
    });
    return { process: child, log, logStart: size > LOG_LIMIT ? 0 : size };
  } finally {
    await file.close();
  }
}

/** Resolves when the service is ready; throws with the end of its log when it ends before. */
async function ready(context: Context, url: string, child: Child): Promise<void> {
  const { signal } = context.interrupts;
  const deadline = performance.now() + READY_WITHIN_MS;
  let failure: unknown;
  child.process.once('error', (error) => {
    failure = error;
  });
  while (performance.now() < deadline && !signal.aborted) {
    const { exitCode, signalCode } = child.process;
    if (failure !== undefined || exitCode !== null || signalCode !== null) {
      throw new CliError(`the service did not start: ${await lastWords(child)}`, {
        hint: `its log: ${child.log}`,
        exitCode: exitCode === null || exitCode === 0 ? ExitCode.failure : exitCode,
        cause: failure,
      });
    }
    if ((await hasAnnounced(child)) && (await serviceHealth(url, signal)) !== undefined) return;
    await sleep(100, undefined, { signal });
  }
  child.process.kill('SIGTERM');
  signal.throwIfAborted();
  throw new CliError(`the service did not answer at ${url} within ${READY_WITHIN_MS / 1000} s`, {
    hint: `its log: ${child.log}`,
  });
}

/** True when the child has said that it listens: by then the first key is in its profile as well. */
async function hasAnnounced(child: Child): Promise<boolean> {
  return /^listening on /m.test(await written(child));
}

/** What the child said to a person before it listened: what is exposed, where the first key went. */
async function spoken(child: Child): Promise<string[]> {
  const lines = (await written(child)).split('\n').map((line) => line.trim());
  const before = lines.slice(
    0,
    lines.findLastIndex((line) => line.startsWith('listening on ')),
  );
  // The rest is its log, in JSON.
  return before.filter((line) => line !== '' && !line.startsWith('{'));
}

async function written({ log, logStart }: Child): Promise<string> {
  return (await readFile(log)).subarray(logStart).toString();
}

/** The last lines that the child wrote, without the mark of an error. */
async function lastWords(child: Child): Promise<string> {
  const lines = (await written(child)).split('\n').filter((line) => line.trim() !== '');
  const error = lines.findLast((line) => line.startsWith('error: '));
  return error?.slice('error: '.length) ?? (lines.slice(-3).join(' ') || 'it said nothing');
}
