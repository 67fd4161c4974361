import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { ask, STEP_MS } from '../client.js';
import { dialectOf } from '../dialect.js';
import { messageOf, statusOf } from '../errors.js';

const PAUSE_ATTEMPTS = 10;
const PAUSE_AGAIN_MS = 200;
/**
 * On cgroup v1 runc gives up when processes are started meanwhile, and lets all of them run again. Podman
 * says the exit status only.
 */
const IS_BUSY = /unable to freeze|pause [0-9a-f]+` failed: exit status/i;

/** A machine could not be resumed. */
export class StillPaused extends ApiError {
  constructor(docker: Docker, container: string, cause: unknown) {
    super('engine_unavailable', 'The computer was paused to save its disk, and is still paused.', {
      remedy: `${dialectOf(docker).program} unpause ${container.slice(0, 12)}`,
      cause,
    });
  }
}

/** Runs `work` while none of a container's processes runs. Throws {@link StillPaused}. */
export async function whilePaused(
  docker: Docker,
  { Id, State }: Pick<Docker.ContainerInspectInfo, 'Id' | 'State'>,
  work: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  if (!State.Running || State.Paused || !(await pause(docker, Id, signal))) {
    await work();
    return;
  }
  try {
    signal.throwIfAborted();
    await work();
  } finally {
    await resume(docker, Id).catch((cause) => {
      throw new StillPaused(docker, Id, cause);
    });
  }
}

/** False if it does not run, or if another client has paused it. */
async function pause(
  docker: Docker,
  container: string,
  signal: AbortSignal,
  attempt = 1,
): Promise<boolean> {
  try {
    await ask(docker, STEP_MS, undefined, (abortSignal) =>
      docker.getContainer(container).pause({ abortSignal }),
    );
    return true;
  } catch (error) {
    if (/not running|already paused/i.test(messageOf(error))) return false;
    if (IS_BUSY.test(messageOf(error)) && attempt < PAUSE_ATTEMPTS) {
      await sleep(PAUSE_AGAIN_MS, undefined, { signal });
      return pause(docker, container, signal, attempt + 1);
    }
    // The Engine may have paused it and not answered.
    await resume(docker, container).catch((cause) => {
      throw new StillPaused(docker, container, cause);
    });
    throw error;
  }
}

/** Also after the caller's signal: a machine must not stay paused. Idempotent. */
export async function resume(docker: Docker, container: string): Promise<void> {
  await ask(docker, STEP_MS, undefined, (abortSignal) =>
    docker.getContainer(container).unpause({ abortSignal }),
  ).catch((error) => {
    if (statusOf(error) !== 404 && !/not (paused|running)/i.test(messageOf(error))) throw error;
  });
}
