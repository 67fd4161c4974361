import type Docker from 'dockerode';
import type { CheckResult, EngineCheck } from '../../descriptor.js';
import { ask, connectDocker, isRemote, QUICK_MS } from '../client.js';
import { openInContainer } from '../screen/container-files.js';
import { SOCKET_DIRECTORY } from '../screen/socket.js';
import { checkMachines, machineIds } from './machines.js';

/** Whether computers can fill the state directory's disk through their directories for sockets. */
export const socketsCheck: EngineCheck = {
  name: 'docker-sockets',
  title: 'Screen sockets',
  run: (_, signal) => checkSockets(connectDocker(), signal),
};

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
  const { State } = await ask(QUICK_MS, signal, (abortSignal) =>
    docker.getContainer(running.Id).inspect({ abortSignal }),
  );
  const root = await openInContainer({ pid: State.Pid, container: running.Id }, []);
  await root?.close();
  return root !== undefined;
}
