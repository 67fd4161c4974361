import type Docker from 'dockerode';
import type { MachineUsage } from '../../engine.js';
import { notRunning } from '../../not-running.js';
import { ask, QUICK_MS } from '../client.js';

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

/** The resource usage of a running container. */
export async function containerUsage(
  docker: Docker,
  name: string,
  signal: AbortSignal | undefined,
): Promise<MachineUsage> {
  const container = docker.getContainer(name) as unknown as MeasuredContainer;
  const [stats, { State, SizeRw = 0, HostConfig }] = await Promise.all([
    ask(docker, QUICK_MS, signal, (abortSignal) =>
      container.stats({ stream: false, 'one-shot': true, abortSignal }),
    ),
    ask(docker, QUICK_MS, signal, (abortSignal) => container.inspect({ size: true, abortSignal })),
  ]);
  if (!State.Running) throw notRunning();
  const quota = /^(\d+)G$/.exec(HostConfig.StorageOpt?.size ?? '')?.[1];
  return {
    ...readStats(stats),
    diskBytes: SizeRw,
    ...(quota === undefined ? {} : { diskTotalBytes: Number(quota) * 2 ** 30 }),
  };
}

/**
 * Processor time and memory. As `docker stats` does, it does not count the page cache that the kernel
 * can drop: `total_inactive_file` in cgroup 1, `inactive_file` in cgroup 2.
 */
export function readStats({
  cpu_stats,
  memory_stats,
}: ContainerStats): Pick<MachineUsage, 'cpuSeconds' | 'memoryBytes'> {
  const { usage = 0, stats = {} } = memory_stats ?? {};
  const cache = stats.total_inactive_file ?? stats.inactive_file ?? 0;
  return {
    cpuSeconds: (cpu_stats?.cpu_usage?.total_usage ?? 0) / 1e9,
    memoryBytes: Math.max(0, usage - cache),
  };
}
