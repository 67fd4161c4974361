import { readlink } from 'node:fs/promises';
import type Docker from 'dockerode';
import { currentBootId, identifyProcess, processIs } from '../../../lib/process/identity.js';
import { isRemote } from '../client.js';

/** Process ids mean something else in another namespace. */
const pidNamespace = () => readlink('/proc/self/ns/pid');

/** This process, for the label of a guard; empty if others could not tell whether it runs. */
export async function describeOwner(docker: Docker): Promise<string> {
  if (isRemote(docker) || process.platform !== 'linux') return '';
  const identity = await identifyProcess(process.pid);
  return identity === undefined
    ? ''
    : JSON.stringify({ ...identity, namespace: await pidNamespace() });
}

/** True only if the process that a guard's label describes has certainly ended. */
export async function isOwnerGone(docker: Docker, label: string | undefined): Promise<boolean> {
  const owner = parse(label);
  if (owner === undefined || isRemote(docker) || process.platform !== 'linux') return false;
  // A service of an earlier boot: it was on the Engine's host, as we are.
  if (owner.bootId !== (await currentBootId())) return true;
  return owner.namespace === (await pidNamespace()) && !(await processIs(owner));
}

function parse(label: string | undefined) {
  try {
    const { pid, startTime, bootId, uid, namespace } = JSON.parse(label ?? '') as Record<
      string,
      unknown
    >;
    if (typeof pid !== 'number' || typeof startTime !== 'number' || typeof uid !== 'number') return;
    if (typeof bootId !== 'string' || typeof namespace !== 'string') return;
    return { pid, startTime, bootId, uid, namespace };
  } catch {
    return undefined;
  }
}
