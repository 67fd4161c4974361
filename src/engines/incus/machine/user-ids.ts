import { ApiError } from '../../../contract/errors.js';
import { sleep } from '../../../lib/async/sleep.js';
import { instanceName } from '../ids.js';
import type { Instance } from './instance.js';
import type { Instances } from './instances.js';
import { movedMachine } from './moves/copies.js';

/** The first of an isolated container's 65,536 user ids on its member. */
const BASE = 'volatile.idmap.base';
const IDS = 65_536;
/**
 * Changes of a stopped container's configuration, one after the other, by which it gets user ids that
 * are free on its member: they are allocated whenever this text changes, whose meaning stays the same.
 */
export const NEW_IDS = [
  { 'security.privileged': '0' },
  { 'security.privileged': 'false' },
] as const;
/** Time in which a creation allocates its ids; then another one begins in any case. */
const KNOWN_WITHIN_MS = 2_000;
const ASK_EVERY_MS = 20;
/** A member begins a move more slowly than a creation. */
const COPY_KNOWN_WITHIN_MS = 5_000;
const ASK_FOR_COPY_EVERY_MS = 200;

/** Waits until a container that is being created has its user ids. */
export async function untilIdsAreKnown(
  instances: Instances,
  id: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const end = performance.now() + KNOWN_WITHIN_MS; performance.now() < end; ) {
    const instance = await instances.named(id, signal);
    if (instance?.config?.[BASE] !== undefined) return;
    await sleep(ASK_EVERY_MS, signal);
  }
}

/** The same for the copy of a container that is being moved to another member. */
export async function untilCopyHasIds(
  instances: Instances,
  serviceId: string,
  { id, member }: { readonly id: string; readonly member: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const end = performance.now() + COPY_KNOWN_WITHIN_MS; performance.now() < end; ) {
    const all = await instances.all(signal);
    const copy = all.find((each) => movedMachine(serviceId, each) === id);
    if (copy?.config?.[BASE] !== undefined) return;
    // It was moved meanwhile.
    const name = instanceName(id);
    if (all.some((each) => each.name === name && each.location === member)) return;
    await sleep(ASK_FOR_COPY_EVERY_MS, signal);
  }
}

/**
 * False if a container has the ids of another one on its member, or ids that are not for containers. LXD
 * gives such when containers are created at once: one without ids counts as the first. Incus moves a
 * container with its ids, which another one may have on its new member.
 */
export async function hasOwnIds(
  instances: Instances,
  id: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const [own, all] = await Promise.all([instances.get(id, signal), instances.all(signal)]);
  const base = own.config?.[BASE];
  if (base === undefined) return true;
  if (Number(base) <= IDS) return false;
  const isOther = ({ name, location, config }: Instance) =>
    name !== own.name && location === own.location && config?.[BASE] === base;
  return !all.some(isOther);
}

export function noIds(): ApiError {
  const message = 'The cluster gave a container the user ids of another one.';
  const remedy = 'Create it again; see /etc/subuid on the members for how many there are.';
  return new ApiError('internal', message, { remedy });
}
