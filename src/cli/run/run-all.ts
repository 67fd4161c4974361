import type { Client } from '../../client/client.js';
import { computerParameters } from '../../client/http/address.js';
import { ConcurrencyLimit } from '../../lib/async/concurrency-limit.js';
import { count } from '../../lib/text/count.js';
import { CliError, InterruptedError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { Interrupts } from '../framework/interrupts.js';
import { done, note, printJsonLine } from '../output/print.js';
import { during } from '../output/progress.js';
import { isNotFound, request } from '../targets/client.js';
import { computerSource } from '../targets/computer-source.js';
import type { Task, Tasks } from './load.js';
import { Report } from './report.js';
import type { Result, RunDirectory } from './results.js';
import { removeProject, runTask } from './run-task.js';

interface Options {
  readonly tasks: Tasks;
  readonly directory: RunDirectory;
  /** Tasks at the same time. */
  readonly computers: number | undefined;
  readonly retryFailed: boolean;
  readonly video: boolean;
  readonly keep: boolean;
}

/** Runs the tasks that have no result yet, and resolves to the results of all in their order. */
export async function runAll(context: Context, options: Options): Promise<readonly Result[]> {
  const { directory, tasks: file, computers = 1, retryFailed, video, keep } = options;
  const results = new Map<string, Result>();
  for (const { name } of file.tasks) {
    const result = await directory.read(name);
    if (result === undefined || (retryFailed && result.status !== 'passed')) continue;
    results.set(name, result);
    if (context.globals.json) await printJsonLine(context, result);
  }
  const left = file.tasks.filter(({ name }) => !results.has(name));
  const skipped = results.size === 0 ? '' : `; ${results.size} were completed before`;
  await note(context, `writing results to ${directory.shown}${skipped}`);
  const client = await context.client();
  await removeLeft(context, client, directory, left);
  await checkRunningLimit(context, Math.min(computers, left.length));
  const names = file.tasks.map((task) => task.name);
  const report = await Report.open(context, directory, { name: file.name, tasks: names });
  const images = await saveImages(context, directory, left);

  // One that the service no longer answers ends the others.
  const interrupts = new Interrupts();
  const stop = () => interrupts.trigger('SIGINT');
  context.interrupts.signal.addEventListener('abort', stop, { once: true });
  if (context.interrupts.signal.aborted) stop();
  const inRun = { ...context, interrupts };
  const { name, secrets, cwd } = file;
  const run = {
    name,
    directory,
    secrets,
    cwd,
    keep,
    images,
    report,
    records: video ? 'video' : 'trajectory',
  } as const;
  const limit = new ConcurrencyLimit(computers);
  const progress = context.progress(`0 of ${left.length} tasks done`);
  let ended = 0;
  let failure: unknown;
  const work = async (task: Task) => {
    if (interrupts.signal.aborted) return;
    try {
      const result = await runTask(inRun, run, task);
      results.set(task.name, result);
      ended += 1;
      progress.update(`${ended} of ${left.length} tasks done`);
      await show(context, result);
    } catch (error) {
      if (!(error instanceof InterruptedError)) failure ??= error;
      stop();
    }
  };
  try {
    await during(progress, Promise.all(left.map((task) => limit.run(() => work(task)))));
  } finally {
    context.interrupts.signal.removeEventListener('abort', stop);
    if (!keep) await removeImages(client, images);
  }
  if (context.interrupts.signal.aborted) throw new InterruptedError();
  if (failure !== undefined) throw failure;
  return file.tasks.flatMap((task) => results.get(task.name) ?? []);
}

async function show(context: Context, result: Result): Promise<void> {
  if (context.globals.json) return printJsonLine(context, result);
  const { name, status, seconds, message } = result;
  const text = `${status} ${name} in ${seconds.toFixed(1)} s`;
  if (status === 'passed') return done(context, text);
  return note(context, `${text}: ${message}`);
}

/** Throws CliError if so many computers more may not run. */
async function checkRunningLimit(context: Context, more: number): Promise<void> {
  if (more === 0) return;
  const { running, max_running: most } = await request(context, 'getMe');
  if (running + more <= most) return;
  throw new CliError(
    `${count(running, 'computer')} of at most ${most} would become ${running + more}`,
    {
      remedy: 'stop others, use a lower --computers, or ask for a higher limit: vc owner set',
      exitCode: ExitCode.conflict,
      code: 'limit_reached',
    },
  );
}

/** Removes what a run that was killed has left. */
async function removeLeft(
  context: Context,
  client: Client,
  directory: RunDirectory,
  left: readonly Task[],
): Promise<void> {
  const { projects } = await request(context, 'listProjects');
  const names = new Set(projects.map(({ name }) => name));
  const present = left.map(({ name }) => directory.project(name)).filter((one) => names.has(one));
  await Promise.all(present.map((project) => removeProject(client, project)));
}

/** Saves the disks that tasks begin from as images, and resolves to their names. */
async function saveImages(
  context: Context,
  { id }: RunDirectory,
  tasks: readonly Task[],
): Promise<ReadonlyMap<string, string>> {
  const images = new Map<string, string>();
  for (const from of new Set(tasks.flatMap((task) => task.from ?? []))) {
    const { address, snapshot } = await computerSource(context, from);
    const source = await request(context, 'getComputer', { params: computerParameters(address) });
    const name = `run-${id}-${images.size + 1}`;
    await request(context, 'saveImage', {
      body: { name, computer: source.id, ...(snapshot !== undefined && { snapshot }) },
    });
    images.set(from, name);
  }
  return images;
}

async function removeImages(client: Client, images: ReadonlyMap<string, string>): Promise<void> {
  for (const image of images.values()) {
    await client.request('deleteImage', { params: { image } }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
