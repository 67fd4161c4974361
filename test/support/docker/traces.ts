import { readFileSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { bridgeName, LABEL, machineName } from '../../../src/engines/containers/ids.js';
import { connectDocker } from '../../../src/engines/docker/client.js';
import type { TestService } from '../service/service.js';

/** Traces of a service and its computers on this host, each with the place where it was found. */
export interface Traces {
  /** Remembers the names of a running computer's resources, to search for after its removal. */
  remember(id: string): Promise<void>;
  /** Number of remembered computers. */
  readonly remembered: number;
  /** All present traces except the service itself. */
  left(): Promise<string[]>;
}

/**
 * Containers (including helpers) and networks by the service's label; network interfaces by name;
 * mounts, processes and sockets by the containers' ids and directories. `id` is an existing computer
 * of the service.
 */
export async function dockerTraces(service: TestService, id: string): Promise<Traces> {
  const docker = connectDocker({ socketPath: inject('dockerHost').replace('unix://', '') });
  const machinesDirectory = join(service.directory, 'state', 'machines');
  const { Config } = await docker.getContainer(machineName(id)).inspect();
  const serviceId = Config.Labels[LABEL.service] ?? '';
  const labelled = (label: string) => ({ filters: { label: [`${label}=${serviceId}`] } });
  const ids = new Set<string>();
  /** Names in mounts, of processes and of interfaces. */
  const names = new Set<string>([machinesDirectory]);
  const bearsName = (text: string) => [...names].some((name) => text.includes(name));
  return {
    get remembered() {
      return ids.size;
    },
    remember: async (id) => {
      const { Id, GraphDriver, NetworkSettings } = await docker
        .getContainer(machineName(id))
        .inspect();
      // Missing in the types: the mounts of the storage driver and the network.
      const { MergedDir } = GraphDriver.Data as { MergedDir?: string };
      const { SandboxKey } = NetworkSettings as { SandboxKey?: string };
      ids.add(Id);
      for (const name of [Id, MergedDir, SandboxKey]) if (name) names.add(name);
      names.add(bridgeName(serviceId, id));
    },
    left: async () => {
      const containers = [
        ...(await docker.listContainers({ all: true, ...labelled(LABEL.service) })),
        ...(await docker.listContainers({ all: true, ...labelled(LABEL.helper) })),
      ];
      const networks = await docker.listNetworks(labelled(LABEL.service));
      const machines = await readdir(machinesDirectory);
      return [
        ...containers.map(({ Names }) => `container ${Names[0]}`),
        ...networks.map(({ Name }) => `network ${Name}`),
        ...machines.map((name) => `directory ${name}`),
        ...hostTables().filter(bearsName),
        ...(await processes()).filter(({ pid, text }) => pid !== service.pid && bearsName(text)),
      ].map((found) => (typeof found === 'string' ? found : `process ${found.pid} ${found.text}`));
    },
  };
}

/** Mounts, network interfaces and unix sockets in the Engine's namespace, one per line. */
function hostTables(): string[] {
  const engine = inject('dockerPid') || 'self';
  return ['mounts', 'net/dev', 'net/unix'].flatMap((table) =>
    readFileSync(`/proc/${engine}/${table}`, 'utf8')
      .split('\n')
      .map((line) => `${table}: ${line}`),
  );
}

/** Command lines and working directories; a zombie has neither. */
async function processes(): Promise<{ pid: number; text: string }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const read = async (pid: string) => {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const directory = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    return { pid: Number(pid), text: `${line.replaceAll('\0', ' ')} ${directory}` };
  };
  return Promise.all(pids.map(read));
}
