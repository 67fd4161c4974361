import { fstatSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { packageVersion } from '../../lib/package-root.js';
import { identifyProcess } from '../../lib/process/identity.js';
import { hasHashCollisions } from '../../lib/process/node-version.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { serviceSocket, writeDefaultProfile } from '../../profile/index.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import type { Interrupts } from '../framework/interrupts.js';
import { exitProcess, write } from '../framework/io.js';
import { note } from '../output/print.js';
import { type ServePlan, serveArguments } from './options.js';

/** Start of the line that names the profile with the first key. */
export const FIRST_KEY = 'wrote the first API key to profile';

/** What to do after starting a service. */
export const NEXT = 'next: vc demo, or: vc create desk';

/** Serves until SIGINT or SIGTERM; a second signal ends the process at once. */
export async function serveInForeground(context: Context, plan: ServePlan): Promise<number> {
  const { interrupts, env } = context;
  const { serve } = await import('../../server/serve.js');
  const stopping = untilStopped(interrupts, () => exitProcess(ExitCode.interrupted));
  const notes: string[] = [];
  const formatLog = await logFormat(context);
  const service = await serve({
    ...plan,
    ...(formatLog === undefined ? {} : { formatLog }),
    publishFirstKey: async (apiKey, baseUrl) => {
      const { profile, isCurrent, path } = await writeDefaultProfile(
        { baseUrl, apiKey, socket: serviceSocket(plan.stateDirectory) },
        env,
      );
      notes.push(`${FIRST_KEY} ${profile} (${path})`);
      if (!isCurrent)
        notes.push(`another profile is current; switch with: vc profile use ${profile}`);
    },
  });
  await record(context, plan, service.url).catch((error: unknown) =>
    note(context, `warning: vc service cannot find this service: ${errorMessage(error)}`),
  );
  if (service.engineProblem !== undefined) notes.unshift(`warning: ${service.engineProblem}`);
  if (service.login !== undefined && context.io.stderr.isTTY) {
    notes.push(`web page: ${service.login} (once, within five minutes; later: vc dashboard)`);
  }
  await announce(context, plan, service.url, notes);
  // V8's young generation may grow, as by default: a request takes a fifth less processor time then.
  // The launcher does not let it grow during the start.
  setFlagsFromString('--semi-space-growth-factor=2');
  // The heap may grow to three times what lives, about 100 MB, before all of it is collected. By default
  // that happens once a second while screens are read, because their pixels count: half the processor time.
  setFlagsFromString('--heap-growing-percent=200');
  await stopping;
  await note(context, 'stopping; computers keep running');
  await service.close();
  return ExitCode.ok;
}

/** Readable lines on a terminal, else JSON. */
async function logFormat(context: Context): Promise<((line: string) => string) | undefined> {
  if (!context.io.stderr.isTTY) return undefined;
  const { readableLogLine } = await import('../service/log-line.js');
  const chalk = await context.style('stderr');
  return (line) => `${readableLogLine(line.trimEnd(), context.now(), chalk)}\n`;
}

/** Leaves for `vc service` how to find this service and start it again. */
async function record({ env, now }: Context, plan: ServePlan, url: string): Promise<void> {
  const { engineEnvironment, logFile, writeServiceRecord } = await import('../service/record.js');
  const log = logFile(plan.stateDirectory);
  await writeServiceRecord(plan.stateDirectory, {
    process: (await identifyProcess(process.pid)) ?? null,
    version: packageVersion(),
    url,
    started_at: now().toISOString(),
    log: (await isStderr(log)) ? log : null,
    argv: serveArguments(plan),
    environment: engineEnvironment(env),
  });
}

/** True if this process's stderr is the file, as `vc serve --detach` sets it. */
async function isStderr(path: string): Promise<boolean> {
  const file = await stat(path).catch(() => undefined);
  const { ino, dev } = fstatSync(2);
  return file?.ino === ino && file.dev === dev;
}

async function announce(
  context: Context,
  plan: ServePlan,
  url: string,
  notes: readonly string[],
): Promise<void> {
  if (plan.exposed) {
    await note(
      context,
      'warning: reachable from other machines without encryption; anyone with a key can control',
    );
    await note(context, 'the computers. Put a TLS proxy in front of it.');
  }
  if (hasHashCollisions(process.version)) {
    const what = 'has a fault by which one request can stop the service (CVE-2026-21717)';
    await note(context, `warning: Node.js ${process.version} ${what}. See: vc doctor`);
  }
  for (const line of notes) await note(context, line);
  // Printed even with --quiet: serve --detach and scripts wait for this line.
  await write(context.io.stderr, `listening on ${url}\n`);
  await note(context, NEXT);
}

/** execa's signal-exit sends a signal again at once; that is not a second request to stop. */
const ECHO_MS = 300;

/** Resolves at the first request to stop; calls `onSecond` at the second. */
export function untilStopped(
  interrupts: Pick<Interrupts, 'capture'>,
  onSecond: () => void,
): Promise<void> {
  return new Promise((resolve) => {
    let stoppedAt: number | undefined;
    interrupts.capture(() => {
      if (stoppedAt === undefined) {
        stoppedAt = performance.now();
        resolve();
      } else if (performance.now() - stoppedAt >= ECHO_MS) onSecond();
    });
  });
}
