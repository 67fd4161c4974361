import type Docker from 'dockerode';
import { sleep } from '../../lib/async/sleep.js';
import { ask, QUICK_MS, STEP_MS } from './client.js';
import { dialectOf } from './dialect.js';
import { statusOf } from './errors.js';

/** What a list is restricted to, as of Docker's API. */
export type ListFilters = Readonly<Record<string, string[]>>;

/** In milliseconds: between two attempts, after which a removal counts as interrupted, and of a list in all. */
const PAUSE_MS = 250;
const REMOVAL_MS = 1_000;
const LIST_MS = 10_000;

/** Lists containers, stopped ones too. */
export function listContainers(
  docker: Docker,
  filters: ListFilters,
  signal?: AbortSignal,
): Promise<Docker.ContainerInfo[]> {
  return list(docker, signal, (abortSignal) =>
    docker.listContainers({ all: true, filters: { ...filters }, abortSignal }),
  );
}

export function queryImages(
  docker: Docker,
  filters: ListFilters,
  signal?: AbortSignal,
): Promise<Docker.ImageInfo[]> {
  return list(docker, signal, (abortSignal) =>
    docker.listImages({ filters: { ...filters }, abortSignal }),
  );
}

/**
 * An engine may refuse every list while one container or image is removed: it is asked again. A removal
 * that was interrupted is completed.
 */
async function list<T>(
  docker: Docker,
  signal: AbortSignal | undefined,
  request: (abortSignal: AbortSignal) => Promise<T[]>,
): Promise<T[]> {
  const { halfRemoved, imageRemoved } = dialectOf(docker);
  const seenAt = new Map<string, number>();
  for (const start = performance.now(); ; await sleep(PAUSE_MS, signal)) {
    try {
      return await ask(docker, QUICK_MS, signal, request);
    } catch (error) {
      const now = performance.now();
      const container = halfRemoved?.(error);
      if (now - start > LIST_MS || (container === undefined && !imageRemoved?.(error))) throw error;
      if (container === undefined) continue;
      const since = seenAt.get(container) ?? now;
      seenAt.set(container, since);
      if (now - since > REMOVAL_MS) await removeContainer(docker, container, signal);
    }
  }
}

/** Removes a container and its volumes, unless it is gone or is being removed. */
export async function removeContainer(
  docker: Docker,
  id: string,
  signal?: AbortSignal,
): Promise<void> {
  await ask(docker, STEP_MS, signal, (abortSignal) =>
    docker.getContainer(id).remove({ force: true, v: true, abortSignal }),
  ).catch((error) => {
    if (
      statusOf(error) !== 404 &&
      statusOf(error) !== 409 &&
      !dialectOf(docker).halfRemoved?.(error)
    )
      throw error;
  });
}
