import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import Database from 'libsql';
import { inject } from 'vitest';
import { LABEL } from '../../../src/engines/containers/ids.js';
import { connectDocker } from '../../../src/engines/docker/client.js';
import { serviceId } from '../../../src/fleet/store/accounts/owners.js';
import { databaseFile } from '../../../src/fleet/store/database.js';
import { eventually } from '../eventually.js';
import type { TestService } from './service.js';

/** Access to a service's machines through its engine and host, outside the service. */
export interface OutOfBand {
  /** All resources of this service's computers. */
  leftovers(): Promise<{ machines: string[]; networks: string[]; directories: string[] }>;
  /** Kills the machine of a computer. */
  kill(id: string): Promise<void>;
  /** Removes the machine of a computer with its disk. */
  remove(id: string): Promise<void>;
  /** Stops all processes of a computer with SIGSTOP; the returned function continues them. */
  freeze(id: string): Promise<() => void>;
  /** Kills all processes of its computers at once, as when the host goes down. */
  powerOff(): Promise<void>;
  /** What it has saved of the disks of computers. */
  saved(): Promise<string[]>;
  /** The processes of a computer on this host. */
  pids(id: string): Promise<number[]>;
}

export function outOfBand(service: TestService): OutOfBand {
  const open = { docker: dockerOutOfBand, podman: podmanOutOfBand, qemu: qemuOutOfBand };
  const engine = inject('engine');
  if (engine === 'incus') throw new Error('no access to machines on LXD');
  return open[engine](service);
}

function dockerOutOfBand({ directory }: TestService): OutOfBand {
  const docker = connectDocker({ socketPath: inject('dockerHost').replace('unix://', '') });
  const service = serviceIdOf(join(directory, 'state'));
  // Other services use the same Engine.
  const ours = { filters: { label: [`${LABEL.service}=${service}`] } };
  const pids = async (id: string) => {
    const { Titles, Processes } = await docker.getContainer(`vc-${id}`).top();
    return Processes.map((row: string[]) => Number(row[Titles.indexOf('PID')]));
  };
  return {
    leftovers: async () => {
      const machines = await docker.listContainers({ all: true, ...ours });
      const networks = await docker.listNetworks(ours);
      return {
        machines: machines.map(({ Names, Id }) => Names[0] ?? Id),
        networks: networks.map(({ Name }) => Name),
        directories: readdirSync(join(directory, 'state', 'machines')),
      };
    },
    kill: async (id) => void (await docker.getContainer(`vc-${id}`).kill()),
    remove: async (id) => void (await docker.getContainer(`vc-${id}`).remove({ force: true })),
    freeze: (id) => freeze(() => pids(id)),
    powerOff: async () => {
      const running = () => docker.listContainers(ours);
      for (const { Labels } of await running()) {
        for (const pid of await pids(Labels['sh.vc.machine'] ?? '')) signal(pid, 'SIGKILL');
      }
      await eventually(async () => (await running()).length === 0, 30_000);
    },
    saved: async () =>
      (await docker.listImages(ours)).flatMap(({ RepoTags, Id }) =>
        RepoTags?.length ? RepoTags : [Id],
      ),
    pids,
  };
}

/** By its command line: the service of its API ends with the service of the test. */
function podmanOutOfBand({ directory }: TestService): OutOfBand {
  const { env } = inject('podman');
  const lines = async (...argv: string[]) => {
    const { stdout } = await execa('podman', ['--cgroup-manager', 'cgroupfs', ...argv], { env });
    return stdout.split('\n').filter((line) => line !== '');
  };
  const ours = `label=${LABEL.service}=${serviceIdOf(join(directory, 'state'))}`;
  const pidsOf = async (container: string) => {
    const [, ...rows] = await lines('top', container, 'hpid');
    return rows.map(Number);
  };
  const pids = (id: string) => pidsOf(`vc-${id}`);
  return {
    leftovers: async () => ({
      machines: await lines('ps', '--all', '--filter', ours, '--format', '{{.Names}}'),
      networks: await lines('network', 'ls', '--filter', ours, '--format', '{{.Name}}'),
      directories: readdirSync(join(directory, 'state', 'machines')),
    }),
    kill: async (id) => void (await lines('kill', `vc-${id}`)),
    remove: async (id) => void (await lines('rm', '--force', '--time', '0', `vc-${id}`)),
    freeze: (id) => freeze(() => pids(id)),
    powerOff: async () => {
      const running = () => lines('ps', '--filter', ours, '--format', '{{.ID}}');
      for (const container of await running()) {
        for (const pid of await pidsOf(container)) signal(pid, 'SIGKILL');
      }
      await eventually(async () => (await running()).length === 0, 30_000);
    },
    saved: () => lines('images', '--filter', ours, '--format', '{{.ID}} {{.Repository}}:{{.Tag}}'),
    pids,
  };
}

/** Ids of services by their directories: they never change. */
const serviceIds = new Map<string, string>();

/** The service's id in the Engine's labels. Reads a copy, because a service locks its database. */
function serviceIdOf(stateDirectory: string): string {
  const known = serviceIds.get(stateDirectory);
  if (known !== undefined) return known;
  const copy = mkdtempSync(join(tmpdir(), 'vc-database-'));
  try {
    for (const name of readdirSync(stateDirectory).filter((name) => name.startsWith('vc.db'))) {
      copyFileSync(join(stateDirectory, name), join(copy, name));
    }
    const database = new Database(databaseFile(copy));
    const id = serviceId(database);
    database.close();
    serviceIds.set(stateDirectory, id);
    return id;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function qemuOutOfBand(service: TestService): OutOfBand {
  const directory = join(service.directory, 'state', 'qemu', 'machines');
  const found = () => processes().filter((each) => each.text.includes(directory));
  const machines = () => found().filter(({ name }) => name.startsWith('qemu-system'));
  const pids = async (id: string) =>
    machines()
      .filter(({ text }) => text.includes(id))
      .map(({ pid }) => pid);
  const kill = async (id: string) => {
    for (const pid of await pids(id)) process.kill(pid, 'SIGKILL');
    await eventually(async () => machines().every(({ text }) => !text.includes(id)));
  };
  return {
    leftovers: async () => ({
      machines: machines().map(({ text }) => text),
      // The machine's network helper is a separate process.
      networks: found()
        .filter(({ name, pid }) => !name.startsWith('qemu-system') && pid !== service.pid)
        .map(({ text }) => text),
      directories: readdirSync(directory),
    }),
    kill,
    remove: async (id) => {
      await kill(id);
      // The service may still write in response to the machine's end.
      rmSync(join(directory, id), { recursive: true, maxRetries: 10 });
    },
    freeze: (id) => freeze(() => pids(id)),
    powerOff: async () => {
      const others = () => found().filter(({ pid }) => pid !== service.pid);
      for (const { pid } of others()) signal(pid, 'SIGKILL');
      await eventually(async () => others().length === 0, 30_000);
    },
    saved: async () => readdirSync(join(service.directory, 'state', 'qemu', 'saved')),
    pids,
  };
}

/** Repeats, because a process may start while the others are being stopped. */
async function freeze(pids: () => Promise<number[]>): Promise<() => void> {
  const frozen = new Set<number>();
  for (let before = -1; before < frozen.size; ) {
    before = frozen.size;
    for (const pid of await pids()) {
      if (!frozen.has(pid) && signal(pid, 'SIGSTOP')) frozen.add(pid);
    }
  }
  return () => {
    for (const pid of frozen) signal(pid, 'SIGCONT');
  };
}

/** False if the process no longer exists. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Every process of this host, with its working directory and command line as one text. */
function processes(): { pid: number; name: string; text: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [{ pid: Number(pid), name, text: `${readlinkSync(`/proc/${pid}/cwd`)} ${words}` }];
      } catch {
        return [];
      }
    });
}
