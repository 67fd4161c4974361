import type Docker from 'dockerode';
import { sleep } from '../../lib/async/sleep.js';
import { ask, QUICK_MS, STEP_MS } from './client.js';
import { dialectOf } from './dialect.js';
import { statusOf } from './errors.js';

/** What a list is restricted to, as of Docker's API. */
export type ListFilters = Readonly<Record<string, string[]>>;

const ATTEMPTS = 6;
const PAUSE_MS = 250;

/**
 * Lists containers, stopped ones too. An engine may refuse every list because the removal of one
 * container has not ended: it gets a second, then the removal is completed.
 */
export async function listContainers(
  docker: Docker,
  filters: ListFilters,
  signal?: AbortSignal,
): Promise<Docker.ContainerInfo[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask(docker, QUICK_MS, signal, (abortSignal) =>
        docker.listContainers({ all: true, filters: { ...filters }, abortSignal }),
      );
    } catch (error) {
      const halfRemoved = dialectOf(docker).halfRemoved?.(error);
      if (halfRemoved === undefined || attempt === ATTEMPTS) throw error;
      if (attempt === ATTEMPTS - 1) await removeContainer(docker, halfRemoved, signal);
      else await sleep(PAUSE_MS, signal);
    }
  }
}

/** Lists images. An engine may refuse a list because an image was removed meanwhile: it is asked again. */
export async function queryImages(
  docker: Docker,
  filters: ListFilters,
  signal?: AbortSignal,
): Promise<Docker.ImageInfo[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask(docker, QUICK_MS, signal, (abortSignal) =>
        docker.listImages({ filters: { ...filters }, abortSignal }),
      );
    } catch (error) {
      if (attempt === ATTEMPTS || !dialectOf(docker).imageRemoved?.(error)) throw error;
      await sleep(PAUSE_MS, signal);
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
    if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
  });
}
