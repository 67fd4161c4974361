import type { EngineDaemon, SetupStep } from '../../engines/descriptor.js';
import { sleep } from '../../lib/async/sleep.js';
import type { Environment } from '../../profile/index.js';
import { CliError } from '../errors/cli-error.js';

/** Runs one command as root; resolves to whether it succeeded. */
export type RunAsRoot = (step: SetupStep) => Promise<boolean>;

/** Tries each way to start an engine's daemon until it answers. */
export async function startDaemon(
  daemon: EngineDaemon,
  title: string,
  { run, env, signal }: { run: RunAsRoot; env: Environment; signal: AbortSignal },
): Promise<void> {
  const starters = await daemon.starters();
  for (const starter of starters) {
    const seconds = starter === starters.at(-1) ? 30 : 10;
    if ((await run(starter)) && (await answers(daemon, { env, seconds, signal }))) return;
  }
  throw new CliError(`${title} does not answer`, { remedy: `see its log: ${await daemon.log()}` });
}

async function answers(
  daemon: EngineDaemon,
  { env, seconds, signal }: { env: Environment; seconds: number; signal: AbortSignal },
): Promise<boolean> {
  for (let left = seconds * 5; left > 0; left -= 1) {
    if (await daemon.isRunning(env, signal)) return true;
    await sleep(200, signal);
  }
  return false;
}
