import type Docker from 'dockerode';
import type { CheckResult, EngineCheck } from '../../descriptor.js';
import { ask, connectDocker, QUICK_MS } from '../client.js';
import { LABEL } from '../ids.js';
import { probeDocker } from '../probe.js';

/** Whether every computer has a user of its own; those of older versions are user 1000. */
export const usersCheck: EngineCheck = {
  name: 'docker-users',
  title: 'Users',
  run: (_, signal) => checkUsers(connectDocker(), signal),
};

export async function checkUsers(docker: Docker, signal: AbortSignal): Promise<CheckResult> {
  if (!(await probeDocker(docker, signal)).usable) {
    return { status: 'skipped', detail: 'docker cannot be used' };
  }
  const filters = { label: [LABEL.service, LABEL.machine] };
  const machines = await ask(QUICK_MS, signal, (abortSignal) =>
    docker.listContainers({ all: true, filters, abortSignal }),
  );
  if (machines.length === 0) return { status: 'skipped', detail: 'no computer' };
  const shared = machines.filter(({ Labels }) => !(LABEL.uid in Labels));
  if (shared.length === 0) {
    return { status: 'ok', detail: `each of ${machines.length} computers has its own` };
  }
  const detail =
    `${shared.length} of ${machines.length} computers are from an older version ` +
    'and run as user 1000 of the host';
  const ids = shared.slice(0, 3).map(({ Labels }) => Labels[LABEL.machine]);
  const more = shared.length > ids.length ? ', …' : '';
  return { status: 'stale', detail, remedy: `create them again: ${ids.join(', ')}${more}` };
}
