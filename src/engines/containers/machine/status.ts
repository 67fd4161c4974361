import type Docker from 'dockerode';
import type { MachineState } from '../../engine.js';
import { LABEL } from '../ids.js';
import { inspectContainer, listContainers } from '../requests.js';

/** The fields of a container's state that determine the machine's state. */
export interface ContainerState {
  readonly Status: string;
  readonly ExitCode: number;
  readonly OOMKilled: boolean;
  readonly Error?: string;
}

/** Exit codes that are no failure: 0, SIGINT, SIGKILL, SIGTERM, and 255 after the host stopped. */
const ENDED = new Set([0, 130, 137, 143, 255]);
const KILLED = 137;
/** Also of one that the service itself has killed, whose reason it knows better. */
const KILLED_REASON = 'It was killed outside of this service.';
/** Containers inspected in parallel. */
const AT_ONCE = 16;

/** A paused container counts as running: its processes and memory exist. */
export function machineState(id: string, state: ContainerState): MachineState {
  switch (state.Status) {
    case 'running':
    case 'paused':
    case 'restarting':
      return { id, status: 'running' };
    case 'dead':
      return {
        id,
        status: 'error',
        reason: 'It could not be removed completely; delete it again.',
      };
    case 'exited':
      return exited(id, state);
    default:
      return { id, status: 'stopped' };
  }
}

/** Every machine of the service. Inspects only containers that were killed or failed. */
export async function listMachines(
  docker: Docker,
  serviceId: string,
  signal?: AbortSignal,
): Promise<MachineState[]> {
  const filters = { label: [`${LABEL.service}=${serviceId}`, LABEL.machine] };
  const containers = await listContainers(docker, filters, signal);
  const states: MachineState[] = [];
  const machines = containers.filter(({ Labels }) => Labels[LABEL.machine]);
  for (let at = 0; at < machines.length; at += AT_ONCE) {
    const some = machines.slice(at, at + AT_ONCE).map((one) => stateOf(docker, one, signal));
    states.push(...(await Promise.all(some)));
  }
  return states;
}

async function stateOf(
  docker: Docker,
  { Id, State, Status, Labels }: Docker.ContainerInfo,
  signal: AbortSignal | undefined,
): Promise<MachineState> {
  const id = Labels[LABEL.machine] ?? '';
  const code = Number(/^Exited \((\d+)\)/.exec(Status)?.[1] ?? 0);
  if (State === 'exited' && (code === KILLED || !ENDED.has(code))) {
    return (await inspectMachine(docker, Id, id, signal)) ?? { id, status: 'stopped' };
  }
  return machineState(id, { Status: State, ExitCode: code, OOMKilled: false });
}

/** Undefined if the container no longer exists. */
export async function inspectMachine(
  docker: Docker,
  container: string,
  id: string,
  signal?: AbortSignal,
): Promise<MachineState | undefined> {
  try {
    const { State } = await inspectContainer(docker, container, signal);
    return machineState(id, State);
  } catch (error) {
    if ((error as { code?: string }).code === 'not_found') return undefined;
    throw error;
  }
}

function exited(id: string, { ExitCode, OOMKilled, Error: failure }: ContainerState): MachineState {
  if (OOMKilled && ExitCode === KILLED) {
    return { id, status: 'error', reason: 'It ran out of memory.' };
  }
  if (failure) return { id, status: 'error', reason: `It could not be started: ${failure}` };
  if (ExitCode === KILLED) return { id, status: 'stopped', reason: KILLED_REASON };
  if (ENDED.has(ExitCode)) return { id, status: 'stopped' };
  // The kernel may have killed a program long before that.
  const memory = OOMKilled ? ' after it ran out of memory' : '';
  return { id, status: 'error', reason: `Its desktop ended with exit code ${ExitCode}${memory}.` };
}
