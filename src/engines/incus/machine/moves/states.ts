import { ApiError } from '../../../../contract/errors.js';
import { ConcurrencyLimit } from '../../../../lib/async/concurrency-limit.js';
import type { MachineState } from '../../../engine.js';
import type { Instances } from '../instances.js';
import { machineState } from '../state.js';
import { Moving, movedMachine, movingState } from './copies.js';

/** Machines that are asked for at once. */
const AT_ONCE = 8;

/** The machines of a service, also those that are being moved to another member. */
export async function machineStates(
  instances: Instances,
  serviceId: string,
  signal: AbortSignal | undefined,
): Promise<MachineState[]> {
  const all = await instances.all(signal);
  const states = all.flatMap((each) => machineState(serviceId, each) ?? []);
  const present = new Set(states.map(({ id }) => id));
  const moving = all.flatMap((each) => {
    const id = movedMachine(serviceId, each);
    return id === undefined || present.has(id) ? [] : [movingState(id)];
  });
  return [...states, ...moving];
}

/** The states of those machines that exist although a list lacked them. */
export async function unlistedStates(
  instances: Instances,
  serviceId: string,
  ids: readonly string[],
  signal: AbortSignal | undefined,
): Promise<MachineState[]> {
  const limit = new ConcurrencyLimit(AT_ONCE);
  const stateOf = async (id: string): Promise<MachineState | undefined> => {
    try {
      const instance = await instances.find(id, signal);
      return instance && machineState(serviceId, instance);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof Moving) return movingState(id);
      if (!(error instanceof ApiError && error.code === 'engine_unavailable')) throw error;
      return { id, status: 'unreachable', reason: error.message };
    }
  };
  const states = await Promise.all(ids.map((id) => limit.run(() => stateOf(id))));
  return states.flatMap((state) => state ?? []);
}
