import type Docker from 'dockerode';
import { allocateId, type IdRange, idsOfHost, USER_IDS } from '../../user-ids.js';
import { ask, isRemote, QUICK_MS } from '../client.js';
import { LABEL } from '../ids.js';

/**
 * Ids in a user namespace (`userns-remap`, rootless), which the Engine maps to others on the host.
 * It usually has 65,536 ids.
 */
const NAMESPACE_IDS = { first: 10_000, end: 60_000 } as const satisfies IdRange;

/** Allocates a user id that no container on this Engine has, whatever its service. */
export async function allocateUser(
  docker: Docker,
  isRemapped: boolean,
  signal?: AbortSignal,
): Promise<number> {
  const filters = { label: [LABEL.uid] };
  const isOnThisHost = !isRemapped && !isRemote(docker);
  const [containers, isOfHost] = await Promise.all([
    ask(QUICK_MS, signal, (abortSignal) =>
      docker.listContainers({ all: true, filters, abortSignal }),
    ),
    isOnThisHost ? idsOfHost() : () => false,
  ]);
  const taken = new Set(containers.map(({ Labels }) => Number(Labels[LABEL.uid])));
  const range = isRemapped ? NAMESPACE_IDS : USER_IDS.docker;
  return allocateId(range, (id) => taken.has(id) || isOfHost(id));
}
