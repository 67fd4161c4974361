import type Docker from 'dockerode';
import type { CheckResult, EngineCheck } from '../../descriptor.js';
import { connectDocker } from '../client.js';
import { LABEL } from '../ids.js';
import { checkMachines, machineIds } from './machines.js';

/** Whether every computer has a user of its own; those of older versions are user 1000. */
export const usersCheck: EngineCheck = {
  name: 'docker-users',
  title: 'Users',
  run: (_, signal) => checkUsers(connectDocker(), signal),
};

export function checkUsers(docker: Docker, signal: AbortSignal): Promise<CheckResult> {
  return checkMachines(docker, signal, (machines) => {
    const shared = machines.filter(({ Labels }) => !(LABEL.uid in Labels));
    if (shared.length === 0) {
      return { status: 'ok', detail: `each of ${machines.length} computers has its own` };
    }
    const detail =
      `${shared.length} of ${machines.length} computers are from an older version ` +
      'and run as user 1000 of the host';
    return { status: 'stale', detail, remedy: `create them again: ${machineIds(shared)}` };
  });
}
