import { spawn } from 'node:child_process';
import { chmod, open, rename, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { makeOwnDirectory } from '../../engines/local-host.js';
import { sleep } from '../../lib/async/sleep.js';
import { packageRoot } from '../../lib/package-root.js';
import { shellWord } from '../../lib/text/shell-word.js';
import { type Environment, sameBaseUrl } from '../../profile/index.js';
import { CliError, UsageError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { done, note, print, printJson } from '../output/print.js';
import { during } from '../output/progress.js';
import { listenerAt, stateOfProcess } from '../service/listener.js';
import { logFile, readServiceRecord, runningProcess } from '../service/record.js';
import { describeSilence } from '../service/silence.js';
import { noteWebPage, stateFlag } from '../service/target.js';
import { FIRST_KEY, NEXT } from './foreground.js';
import { askHealth, serviceHealth } from './health.js';
import { formatListen, localBaseUrl } from './listen.js';
import { missingOptions, type ServePlan, serveArguments } from './options.js';

const READY_TIMEOUT_MS = 60_000;
const LOG_LIMIT = 8 * 1024 * 1024;
/** Bytes of the output of the child that are read: it is ready, or fails, within a few lines. */
const MOST_OUTPUT = 1 << 20;
const launcher = fileURLToPath(new URL('bin/vc.js', packageRoot));

/** Starts the service as a background process and waits until it is ready. */
export async function serveDetached(context: Context, plan: ServePlan): Promise<number> {
  if (plan.listen.port === 0)
    throw new UsageError('--detach needs a fixed port', 'give one with --listen');
  const url = localBaseUrl(plan.listen);
  const running = await askHealth(url, context.interrupts.signal);
  if (running === 'silent') throw await silentError(context, url);
  if (running !== undefined) {
    await checkIsOurs(plan, url);
    const record = await readServiceRecord(plan.stateDirectory);
    const unused = missingOptions(plan, record?.argv ?? []);
    if (context.globals.json)
      await printJson(context, { url, already_running: true, unused_options: unused });
    else {
      await done(context, `already running on ${url}`);
      if (unused.length > 0) {
        await note(context, `it was started without ${unused.join(' ')}; to start it with that:`);
        await note(
          context,
          `  vc service stop${stateFlag(context, plan.stateDirectory)}, then this again`,
        );
      }
      await noteWebPage(context, url);
    }
    return ExitCode.ok;
  }
  return startDetached(context, {
    url,
    argv: serveArguments(plan),
    stateDirectory: plan.stateDirectory,
    env: context.env,
  });
}

/** The port of a process that does not answer cannot be used. */
async function silentError({ env }: Context, url: string): Promise<CliError> {
  const { message, remedy } = await describeSilence(url, env);
  return new CliError(message, { remedy, exitCode: ExitCode.unreachable, code: 'timeout' });
}

/** How to start a service in the background. */
export interface Launch {
  readonly url: string;
  /** The command line without `vc`. */
  readonly argv: readonly string[];
  readonly stateDirectory: string;
  readonly env: Environment;
}

/** Starts the service and waits until it is ready. */
export async function startDetached(context: Context, launching: Launch): Promise<number> {
  const { url, stateDirectory } = launching;
  const log = logFile(stateDirectory);
  const child = await launch(launching, log);
  await during(context.progress('Starting the service'), ready(context, url, child));
  child.process.unref();
  const { pid } = child.process;
  if (context.globals.json) await printJson(context, { url, pid, log });
  else if (context.globals.quiet) await print(context, String(pid));
  else {
    const notes = await startNotes(child);
    await done(context, `listening on ${url}, pid ${pid}`);
    for (const line of notes) await note(context, line);
    const flag = stateFlag(context, stateDirectory);
    await note(
      context,
      `to see its log: vc service logs${flag}; to stop it: vc service stop${flag}`,
    );
    await noteWebPage(context, url);
    if (notes.some((line) => line.includes(FIRST_KEY))) await note(context, NEXT);
  }
  return ExitCode.ok;
}

interface Child {
  readonly process: ReturnType<typeof spawn>;
  readonly log: string;
  /** Offset of this run in the log. */
  readonly logStart: number;
}

async function launch({ argv, stateDirectory, env }: Launch, log: string): Promise<Child> {
  makeOwnDirectory(stateDirectory);
  const size = (await stat(log).catch(() => undefined))?.size ?? 0;
  if (size > LOG_LIMIT) await rename(log, `${log}.old`);
  const file = await open(log, 'a', 0o600);
  try {
    await chmod(log, 0o600);
    const child = spawn(process.execPath, [launcher, ...argv], {
      detached: true,
      stdio: ['ignore', file.fd, file.fd],
      cwd: stateDirectory,
      env: { ...env },
    });
    return { process: child, log, logStart: size > LOG_LIMIT ? 0 : size };
  } finally {
    await file.close();
  }
}

/** Resolves when the service is ready; throws its error if it exits before. */
async function ready(context: Context, url: string, child: Child): Promise<void> {
  const { signal } = context.interrupts;
  const deadline = performance.now() + READY_TIMEOUT_MS;
  let failure: unknown;
  child.process.once('error', (error) => {
    failure = error;
  });
  while (performance.now() < deadline && !signal.aborted) {
    const { exitCode, signalCode } = child.process;
    if (failure !== undefined || exitCode !== null || signalCode !== null) {
      throw new CliError(`the service failed to start: ${await lastError(child)}`, {
        remedy: `see its log: ${child.log}`,
        exitCode: exitCode === null || exitCode === 0 ? ExitCode.failure : exitCode,
        cause: failure,
      });
    }
    if ((await isListening(child)) && (await serviceHealth(url, signal)) !== undefined) return;
    await sleep(100, signal);
  }
  child.process.kill('SIGTERM');
  signal.throwIfAborted();
  throw new CliError(`the service did not answer at ${url} within ${READY_TIMEOUT_MS / 1000} s`, {
    remedy: `see its log: ${child.log}`,
  });
}

/** True once the child listens; by then the first key is in the profile. */
async function isListening(child: Child): Promise<boolean> {
  return /^listening on /m.test(await outputOf(child));
}

/** The messages of the child before it listened: warnings and the profile of the first key. */
async function startNotes(child: Child): Promise<string[]> {
  const lines = (await outputOf(child)).split('\n').map((line) => line.trim());
  const before = lines.slice(
    0,
    lines.findLastIndex((line) => line.startsWith('listening on ')),
  );
  // Other lines are its JSON log.
  return before.filter((line) => line !== '' && !line.startsWith('{'));
}

async function outputOf({ log, logStart }: Child): Promise<string> {
  const file = await open(log);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_OUTPUT), {
      position: logStart,
    });
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The error of the child, or its last lines. */
async function lastError(child: Child): Promise<string> {
  const lines = (await outputOf(child)).split('\n').filter((line) => line.trim() !== '');
  const error = lines.findLast((line) => line.startsWith('error: '));
  return error?.slice('error: '.length) ?? (lines.slice(-3).join(' ') || 'no output');
}

/**
 * Resolves if the service that answers at `url` is that of the plan's state directory.
 * @throws CliError `conflict` for any other service, whose API keys and computers are other ones
 */
export async function checkIsOurs(
  { listen, stateDirectory }: Pick<ServePlan, 'listen' | 'stateDirectory'>,
  url: string,
): Promise<void> {
  const { pid, uids } = await listenerAt(url);
  const record = await readServiceRecord(stateDirectory);
  if (record !== undefined) {
    const own = await runningProcess(record);
    // Without /proc only the address shows which service it is.
    const runs = own !== undefined || record.process === null;
    if (runs && (own?.pid === pid || sameBaseUrl(record.url, url))) return;
  }
  const state = pid === undefined ? undefined : await stateOfProcess(pid);
  const user = uids.find((uid) => uid !== process.geteuid?.());
  const facts = [
    ...(pid === undefined ? [] : [`process ${pid}`]),
    ...(state === undefined ? [] : [`with the state in ${state}`]),
    ...(user === undefined ? [] : [`of the user with id ${user}`]),
  ];
  const whose = facts.length === 0 ? '' : `: ${facts.join(', ')}`;
  const other = formatListen({ ...listen, port: listen.port < 65_535 ? listen.port + 1 : 1024 });
  const use =
    state === undefined
      ? 'to use it: vc login'
      : `to see it: vc service status --state ${shellWord(state)}`;
  throw new CliError(`another service listens on ${formatListen(listen)}${whose}`, {
    remedy: `${use}; to start one beside it: vc serve --detach --listen ${other}`,
    exitCode: ExitCode.conflict,
    code: 'conflict',
  });
}
