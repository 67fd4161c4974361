import type Docker from 'dockerode';
import type { DiskUsage, MachineUsage } from '../../engine.js';
import { notRunning } from '../../not-running.js';
import { ask, QUICK_MS } from '../client.js';
import { dialectOf } from '../dialect.js';

/** Fields of the Engine's statistics that are read; all can be absent. */
export interface ContainerStats {
  readonly cpu_stats?: { readonly cpu_usage?: { readonly total_usage?: number } };
  readonly memory_stats?: {
    readonly usage?: number;
    readonly stats?: Readonly<Record<string, number>>;
  };
}

interface Abortable {
  readonly abortSignal: AbortSignal;
}

/** Options that dockerode's types lack. */
interface MeasuredContainer {
  stats(options: Abortable & { stream: false; 'one-shot': true }): Promise<ContainerStats>;
  inspect(options: Abortable & { size: true }): Promise<{
    readonly State: { readonly Running: boolean };
    readonly SizeRw?: number;
    readonly HostConfig: { readonly StorageOpt?: { readonly size?: string } };
  }>;
}

function measured(docker: Docker, name: string): MeasuredContainer {
  return docker.getContainer(name) as unknown as MeasuredContainer;
}

/** The processor and memory use of a running container. */
export async function containerUsage(
  docker: Docker,
  name: string,
  signal: AbortSignal | undefined,
): Promise<MachineUsage> {
  const { usage } = dialectOf(docker);
  const used = await ask(docker, QUICK_MS, signal, async (abortSignal) => {
    if (usage) return usage(docker, name, abortSignal);
    const options = { stream: false, 'one-shot': true, abortSignal } as const;
    return readStats(await measured(docker, name).stats(options));
  });
  // The Engine reports zeros for a container that does not run.
  if (used === undefined || used.cpuSeconds === 0) throw notRunning();
  return used;
}

/** What a container has written; the Engine reads the directory tree for it. */
export async function containerDiskUsage(
  docker: Docker,
  name: string,
  signal: AbortSignal | undefined,
): Promise<DiskUsage> {
  const { State, SizeRw, HostConfig } = await ask(docker, QUICK_MS, signal, (abortSignal) =>
    measured(docker, name).inspect({ size: true, abortSignal }),
  );
  if (!State.Running) throw notRunning();
  const quota = /^(\d+)G$/.exec(HostConfig.StorageOpt?.size ?? '')?.[1];
  return {
    diskBytes: SizeRw ?? 0,
    ...(quota === undefined ? {} : { diskTotalBytes: Number(quota) * 2 ** 30 }),
  };
}

/**
 * Processor time and memory. As `docker stats` does, it does not count the page cache that the kernel
 * can drop: `total_inactive_file` in cgroup 1, `inactive_file` in cgroup 2.
 */
export function readStats({ cpu_stats, memory_stats }: ContainerStats): MachineUsage {
  const { usage = 0, stats = {} } = memory_stats ?? {};
  const cache = stats.total_inactive_file ?? stats.inactive_file ?? 0;
  return {
    cpuSeconds: (cpu_stats?.cpu_usage?.total_usage ?? 0) / 1e9,
    memoryBytes: Math.max(0, usage - cache),
  };
}
