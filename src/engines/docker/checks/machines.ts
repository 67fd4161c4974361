import type Docker from 'dockerode';
import type { CheckResult } from '../../descriptor.js';
import { ask, QUICK_MS } from '../client.js';
import { LABEL } from '../ids.js';
import { probeDocker } from '../probe.js';

/** Runs a check on the containers of all computers, of every service on this Engine. */
export async function checkMachines(
  docker: Docker,
  signal: AbortSignal,
  check: (machines: readonly Docker.ContainerInfo[]) => CheckResult | Promise<CheckResult>,
): Promise<CheckResult> {
  if (!(await probeDocker(docker, signal)).usable) {
    return { status: 'skipped', detail: 'docker cannot be used' };
  }
  const filters = { label: [LABEL.service, LABEL.machine] };
  const machines = await ask(QUICK_MS, signal, (abortSignal) =>
    docker.listContainers({ all: true, filters, abortSignal }),
  );
  return machines.length === 0 ? { status: 'skipped', detail: 'no computer' } : check(machines);
}

/** Ids for a remedy: the first few. */
export function machineIds(machines: readonly Docker.ContainerInfo[]): string {
  const ids = machines.slice(0, 3).map(({ Labels }) => Labels[LABEL.machine]);
  return `${ids.join(', ')}${machines.length > ids.length ? ', …' : ''}`;
}
