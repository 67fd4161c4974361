import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';
import { inject } from 'vitest';
import { eventually } from './e2e.js';
import type { TestService } from './service.js';

/** A service's machines as its engine and the host have them, behind the service's back. */
export interface Behind {
  /** Everything that there is of any computer of this service. */
  leftovers(): Promise<{ machines: string[]; networks: string[]; directories: string[] }>;
  /** Ends the machine of a computer by force. */
  kill(id: string): Promise<void>;
  /** Removes it with its disk. */
  remove(id: string): Promise<void>;
  /** Stops all that runs of it with SIGSTOP; the function that is given lets it go on. */
  freeze(id: string): Promise<() => void>;
  /** Ends everything that runs of its computers at once, as when the host goes down. */
  powerOff(): Promise<void>;
  /** Processes of this host that run for it. */
  pids(id: string): Promise<number[]>;
}

export function behind(service: TestService): Behind {
  return inject('engine') === 'docker' ? behindDocker(service) : behindQemu(service);
}

/** Services whose machines have been seen, by directory: a network alone does not tell whose it is. */
const services = new Map<string, Set<string | undefined>>();

function behindDocker({ directory }: TestService): Behind {
  const docker = new Docker({ socketPath: inject('dockerHost').replace('unix://', '') });
  // On an Engine that is shared with others, only what is certainly this service's counts.
  const isShared = inject('dockerPid') === 0;
  const isOurs = ({ Mounts }: Docker.ContainerInfo) =>
    !isShared || Mounts.some(({ Source }) => Source.startsWith(directory));
  const pids = async (id: string) => {
    const { Titles, Processes } = await docker.getContainer(`vc-${id}`).top();
    return Processes.map((row: string[]) => Number(row[Titles.indexOf('PID')]));
  };
  return {
    leftovers: async () => {
      const machines = (await docker.listContainers({ all: true })).filter(isOurs);
      const ours = services.get(directory) ?? new Set();
      services.set(directory, ours);
      for (const { Labels } of machines) ours.add(Labels['sh.vc.service']);
      const networks = (await docker.listNetworks())
        .filter(({ Name }) => Name.startsWith('vc'))
        .filter(({ Labels }) => !isShared || ours.has(Labels?.['sh.vc.service'] ?? ''));
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
      const running = async () => (await docker.listContainers()).filter(isOurs);
      for (const { Labels } of await running()) {
        for (const pid of await pids(Labels['sh.vc.machine'] ?? '')) signal(pid, 'SIGKILL');
      }
      await eventually(async () => (await running()).length === 0, 30_000);
    },
    pids,
  };
}

function behindQemu(service: TestService): Behind {
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
      // What connects a machine to the outside runs beside it.
      networks: found()
        .filter(({ name, pid }) => !name.startsWith('qemu-system') && pid !== service.pid)
        .map(({ text }) => text),
      directories: readdirSync(directory),
    }),
    kill,
    remove: async (id) => {
      await kill(id);
      // What the end of the machine still makes the service write comes in between.
      rmSync(join(directory, id), { recursive: true, maxRetries: 10 });
    },
    freeze: (id) => freeze(() => pids(id)),
    powerOff: async () => {
      const others = () => found().filter(({ pid }) => pid !== service.pid);
      for (const { pid } of others()) signal(pid, 'SIGKILL');
      await eventually(async () => others().length === 0, 30_000);
    },
    pids,
  };
}

/** One that is started while the others are stopped is found the next time. */
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

/** False when there is no such process any more. */
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
