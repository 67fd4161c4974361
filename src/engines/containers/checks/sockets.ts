import type Docker from 'dockerode';
import type { CheckResult } from '../../descriptor.js';
import { isRemote } from '../client.js';
import { dialectOf } from '../dialect.js';
import { LABEL } from '../ids.js';
import { probeEngine } from '../probe.js';
import { inspectContainer, listContainers } from '../requests.js';
import { openInContainer } from '../screen/container-files.js';
import { SOCKET_DIRECTORY } from '../screen/socket.js';

/** Whether computers can fill the state directory's disk through their directories for sockets. */
export function checkSockets(docker: Docker, signal: AbortSignal): Promise<CheckResult> {
  return checkMachines(docker, signal, async (machines) => {
    const onDisk = machines.filter(({ Mounts }) =>
      Mounts.some(({ Destination }) => Destination === `/${SOCKET_DIRECTORY.join('/')}`),
    );
    if (onDisk.length > 0) {
      const detail = `${onDisk.length} of ${machines.length} computers can fill the disk with the state directory`;
      const remedy = `create them again with a service that runs as root: ${machineIds(onDisk)}`;
      return { status: 'ok', detail, remedy };
    }
    const detail = 'in memory, at most 1 MiB for each computer';
    if (await areVisible(docker, machines, signal)) return { status: 'ok', detail };
    return {
      status: 'ok',
      detail: `${detail}; screens are slower, because the containers are not visible here`,
      remedy: "run the service in the Engine's PID namespace",
    };
  });
}

/** False if the screens of the running ones can only be reached through programs in them. */
async function areVisible(
  docker: Docker,
  machines: readonly Docker.ContainerInfo[],
  signal: AbortSignal,
): Promise<boolean> {
  const running = machines.find(({ State }) => State === 'running');
  if (running === undefined || isRemote(docker) || process.getuid?.() !== 0) return true;
  const { State } = await inspectContainer(docker, running.Id, signal);
  const root = await openInContainer({ pid: State.Pid, container: running.Id }, []);
  await root?.close();
  return root !== undefined;
}

/** Runs a check on the containers of all computers, of every service on this Engine. */
async function checkMachines(
  docker: Docker,
  signal: AbortSignal,
  check: (machines: readonly Docker.ContainerInfo[]) => CheckResult | Promise<CheckResult>,
): Promise<CheckResult> {
  if (!(await probeEngine(docker, signal)).usable) {
    return { status: 'skipped', detail: `${dialectOf(docker).name} cannot be used` };
  }
  const filters = { label: [LABEL.service, LABEL.machine] };
  const machines = await listContainers(docker, filters, signal);
  return machines.length === 0 ? { status: 'skipped', detail: 'no computer' } : check(machines);
}

/** Ids for a remedy: the first few. */
function machineIds(machines: readonly Docker.ContainerInfo[]): string {
  const ids = machines.slice(0, 3).map(({ Labels }) => Labels[LABEL.machine]);
  return `${ids.join(', ')}${machines.length > ids.length ? ', …' : ''}`;
}
