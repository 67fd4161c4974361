import type Docker from 'dockerode';
import { sleep } from '../../lib/async/sleep.js';
import { ask, QUICK_MS, STEP_MS } from './client.js';
import { dialectOf } from './dialect.js';
import { statusOf } from './errors.js';

/** What a list is restricted to, as of Docker's API. */
export type ListFilters = Readonly<Record<string, string[]>>;

/** Milliseconds between two attempts. */
const PAUSE_MS = 250;
/** Milliseconds after which the removal of a container counts as interrupted. */
const REMOVAL_MS = 1_000;
/** Milliseconds after which no further attempt begins. */
const ATTEMPTS_MS = 10_000;

/** Lists containers, stopped ones too. */
export function listContainers(
  docker: Docker,
  filters: ListFilters,
  signal?: AbortSignal,
): Promise<Docker.ContainerInfo[]> {
  return query(docker, signal, (abortSignal) =>
    docker.listContainers({ all: true, filters: { ...filters }, abortSignal }),
  );
}

/** Lists images, those without a tag too. */
export function queryImages(
  docker: Docker,
  filters: ListFilters,
  signal?: AbortSignal,
): Promise<Docker.ImageInfo[]> {
  return query(docker, signal, (abortSignal) =>
    docker.listImages({ filters: { ...filters }, abortSignal }),
  );
}

/** Throws `not_found`. */
export function inspectContainer(
  docker: Docker,
  container: string,
  signal?: AbortSignal,
): Promise<Docker.ContainerInspectInfo> {
  return query(docker, signal, (abortSignal) =>
    docker.getContainer(container).inspect({ abortSignal }),
  );
}

/**
 * An engine may refuse a query while a container or image is removed: it is asked again. A removal that
 * was interrupted is completed.
 */
async function query<T>(
  docker: Docker,
  signal: AbortSignal | undefined,
  request: (abortSignal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { halfRemoved, imageRemoved } = dialectOf(docker);
  const seenAt = new Map<string, number>();
  const removed = new Set<string>();
  for (const start = performance.now(); ; await sleep(PAUSE_MS, signal)) {
    try {
      return await ask(docker, QUICK_MS, signal, request);
    } catch (error) {
      const now = performance.now();
      const id = halfRemoved?.(error);
      const isTemporary = id !== undefined || imageRemoved?.(error) === true;
      if (!isTemporary || now - start > ATTEMPTS_MS) throw error;
      if (id === undefined || removed.has(id)) continue;
      const since = seenAt.get(id) ?? now;
      seenAt.set(id, since);
      if (now - since < REMOVAL_MS) continue;
      removed.add(id);
      await removeContainer(docker, id, signal);
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
    if (!isBeingRemoved(docker, error) && statusOf(error) !== 404) throw error;
  });
}

/** True for a removal that was refused because another one has not ended. */
export function isBeingRemoved(docker: Docker, error: unknown): boolean {
  return statusOf(error) === 409 || dialectOf(docker).halfRemoved?.(error) !== undefined;
}
