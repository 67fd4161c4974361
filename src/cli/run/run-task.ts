import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Client } from '../../client/client.js';
import { ServiceError } from '../../client/errors.js';
import { MAX_TRAJECTORY_SECONDS } from '../../contract/constants.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { CliError, InterruptedError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import { Interrupts } from '../framework/interrupts.js';
import { isNotFound, request } from '../targets/client.js';
import { SETUP_SECONDS, untilReady } from '../targets/wait-for-status.js';
import { saveTrajectory } from '../trajectories/save.js';
import { runAgent } from './agent.js';
import type { Task } from './load.js';
import { masker } from './mask.js';
import type { Report } from './report.js';
import type { Result, RunDirectory } from './results.js';

/** How long a check may take, in seconds: programs save and paint after the agent has ended. */
const CHECK_SECONDS = 10;
/** A computer that is left by a run that was killed is deleted so long after its task could end. */
const LEFT_SECONDS = 3_600;

export interface Run {
  readonly name: string;
  readonly directory: RunDirectory;
  readonly secrets: readonly string[];
  readonly cwd: string;
  readonly records: 'video' | 'trajectory';
  /** Leaves the computers. */
  readonly keep: boolean;
  /** Images by what tasks begin from. */
  readonly images: ReadonlyMap<string, string>;
  readonly report: Report;
}

type Outcome = Pick<Result, 'status' | 'message' | 'exit_code'>;

/**
 * Runs a task on a new computer in a project of its own, so that the agent's key reaches nothing else.
 * Rejects only if the run cannot continue.
 */
export async function runTask(context: Context, run: Run, task: Task): Promise<Result> {
  const { directory, keep } = run;
  const { name } = task;
  const project = directory.project(name);
  const path = directory.ofTask(name);
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true });
  const began = performance.now();
  const started_at = new Date().toISOString();
  const client = await context.client();
  const secrets = [...run.secrets];
  let outcome: Outcome;
  try {
    outcome = await attempt(context, run, task, secrets);
  } catch (error) {
    if (context.interrupts.signal.aborted) throw new InterruptedError();
    if (!(error instanceof ServiceError || error instanceof CliError)) throw error;
    outcome = { status: 'error', message: error.message, exit_code: null };
  } finally {
    if (!keep) await removeProject(client, project);
  }
  const seconds = Math.round(performance.now() - began) / 1000;
  const message = masker(secrets)(outcome.message);
  const result = {
    name,
    ...outcome,
    message,
    started_at,
    seconds,
    directory: join(directory.shown, name),
  };
  await directory.write(result);
  await run.report.ended(result);
  return result;
}

/** Removes a project with its computer and key, if it exists; also when the command is interrupted. */
export async function removeProject(client: Client, project: string): Promise<void> {
  await client.request('deleteProject', { params: { project } }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

async function attempt(
  context: Context,
  run: Run,
  task: Task,
  secrets: string[],
): Promise<Outcome> {
  const { directory, keep, images } = run;
  const project = directory.project(task.name);
  const path = directory.ofTask(task.name);
  const log = join(path, 'log.txt');
  await removeProject(await context.client(), project);
  await request(context, 'createProject', { body: { name: project } });
  const lifetime = Math.ceil(task.seconds) + SETUP_SECONDS + LEFT_SECONDS;
  const image = task.from === undefined ? task.body.image : images.get(task.from);
  const created = await request(context, 'createComputer', {
    params: { project },
    query: { wait: '0' },
    body: {
      ...task.body,
      ...(image !== undefined && { image }),
      labels: { 'vc.run': run.name },
      ...(!keep && { expires_in: lifetime }),
    },
  });
  const { id } = created;
  const ready = { wait: true, timeout: SETUP_SECONDS };
  const { status, status_reason: reason } = await untilReady(context, created, ready);
  if (status !== 'running') return failed(`the computer is ${status}: ${reason ?? ''}`);
  await run.report.started(task.name, id);
  const { key } = await request(context, 'createKey', {
    body: { name: task.name, rights: 'act', project },
  });
  secrets.push(key);
  const env = await agentEnvironment(context, task, { project, key, path });
  const params = { id };
  const max_seconds = Math.min(Math.ceil(task.seconds) + 60, MAX_TRAJECTORY_SECONDS);
  await request(context, 'startTrajectory', { params, body: { max_seconds } });
  const endVideo = run.records === 'video' ? startVideo(context, id, path, env) : undefined;
  const agent = { command: task.agent, cwd: run.cwd, env, log, secrets, seconds: task.seconds };
  let code: number | undefined;
  try {
    code = await runAgent(agent, context.interrupts.signal);
  } finally {
    await endVideo?.();
  }
  context.interrupts.signal.throwIfAborted();
  await request(context, 'endTrajectory', { params }).catch(ignoreAnswers);
  const outcome = await judge(context, task, id, code);
  // Of a computer that has ended there is none.
  await saveScreenshot(context, id, path).catch(ignoreAnswers);
  await run.report.takePicture(task.name, id).catch(ignoreAnswers);
  await saveTrajectory(context, id, join(path, 'trajectory')).catch((error: unknown) => {
    context.interrupts.signal.throwIfAborted();
    return appendFile(log, `vc: the trajectory cannot be saved: ${errorMessage(error)}\n`);
  });
  return outcome;
}

async function judge(
  context: Context,
  task: Task,
  id: string,
  code: number | undefined,
): Promise<Outcome> {
  const exit_code = code ?? null;
  if (code === undefined) return failed(`the agent took longer than ${task.seconds} s`);
  if (code !== 0) return { ...failed(`the agent ended with exit code ${code}`), exit_code };
  const body = { until: task.check, timeout: CHECK_SECONDS };
  try {
    await request(context, 'wait', { params: { id }, body });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const status = error.code === 'guest_timeout' ? 'failed' : 'error';
    return { status, message: `check: ${error.message}`, exit_code };
  }
  return { status: 'passed', message: '', exit_code };
}

function failed(message: string): Outcome {
  return { status: 'error', message, exit_code: null };
}

/** Ignores that the computer does not answer, but not that the service does not. */
function ignoreAnswers(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}

interface AgentPlace {
  readonly project: string;
  readonly key: string;
  readonly path: string;
}

/** The environment of this command with the address of the computer, and a key for it alone. */
async function agentEnvironment(
  context: Context,
  { name, prompt }: Task,
  { project, key, path }: AgentPlace,
): Promise<NodeJS.ProcessEnv> {
  const { baseUrl, cacert } = await context.settings();
  const { VC_PROFILE: _, ...env } = context.env;
  return {
    ...env,
    VC_BASE_URL: baseUrl.value,
    VC_API_KEY: key,
    VC_PROJECT: project,
    VC_COMPUTER: `${project}/${name}`,
    VC_TASK: name,
    VC_PROMPT: prompt ?? '',
    VC_OUT: path,
    ...(cacert !== undefined && { VC_CACERT: cacert.value }),
  };
}

/** Records the screen until the returned function is called. */
function startVideo(context: Context, id: string, path: string, env: NodeJS.ProcessEnv) {
  const interrupts = new Interrupts();
  const silent = () => new PassThrough().resume();
  const io = { stdin: silent(), stdout: silent(), stderr: silent() };
  const argv = ['computer', 'record', id, '-o', join(path, 'video.mp4'), '--fps', '15'];
  const ended = context.run(argv, { env, io, interrupts });
  return async () => {
    interrupts.trigger('SIGINT');
    await ended;
  };
}

async function saveScreenshot(context: Context, id: string, path: string): Promise<void> {
  const client = await context.client();
  const { signal } = context.interrupts;
  const { data } = await client.requestBytes('screenshot', 'image/png', { params: { id }, signal });
  await writeFile(join(path, 'screenshot.png'), data);
}
