import type { MachineState } from '../../engine.js';
import { KEY, labelOf, machineOf } from '../ids.js';
import type { Instance } from './instance.js';
import { AUTHORIZED_KEY } from './instance-config.js';

const FAILED = 'The cluster reports an error of its container.';

/** Name of an instance's member; undefined without a cluster. */
export function locationOf({ location }: Pick<Instance, 'location'>): string | undefined {
  return location === 'none' || location === '' ? undefined : location;
}

/**
 * An instance as a machine of the service; undefined for others. The cluster knows nothing but the
 * name of one whose member does not answer: it is `unreachable`, whatever its service.
 */
export function machineState(serviceId: string, instance: Instance): MachineState | undefined {
  const id = machineOf(instance.name);
  if (id === undefined) return undefined;
  const { config, location, status } = instance;
  const member = locationOf(instance);
  const where = member === undefined ? {} : { member };
  if (config === null) {
    const reason = `The cluster member "${location}" that has it cannot be reached.`;
    return { id, status: 'unreachable', reason, ...where };
  }
  if (config[KEY.service] !== serviceId || config[KEY.machine] !== id) return undefined;
  const { [AUTHORIZED_KEY]: authorizedKey } = config;
  const about = {
    ...where,
    label: labelOf(config),
    ...(authorizedKey === undefined ? {} : { authorizedKey }),
  };
  switch (status) {
    // A frozen one counts as running: its processes and memory exist.
    case 'Running':
    case 'Frozen':
    case 'Freezing':
    case 'Ready':
      return { id, status: 'running', ...about };
    case 'Error':
      return { id, status: 'error', reason: FAILED, ...about };
    default:
      return { id, status: 'stopped', ...about };
  }
}
