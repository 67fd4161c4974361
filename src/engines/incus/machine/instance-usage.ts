import type { MachineUsage } from '../../engine.js';
import { notRunning } from '../../not-running.js';
import type { Cluster } from '../client/cluster.js';
import { instanceName } from '../ids.js';
import type { Instances } from './instances.js';

interface InstanceState {
  readonly status: string;
  /** Nanoseconds. */
  readonly cpu?: { readonly usage?: number };
  readonly memory?: { readonly usage?: number };
  /** Only where the storage pool counts. */
  readonly disk?: Readonly<Record<string, { readonly usage?: number }>> | null;
}

/** The resource usage of a running machine. */
export async function machineUsage(
  cluster: Cluster,
  instances: Instances,
  id: string,
  signal: AbortSignal | undefined,
): Promise<MachineUsage> {
  const path = `/1.0/instances/${instanceName(id)}/state`;
  const [state, { devices }] = await Promise.all([
    cluster.ask<InstanceState>(path, { signal }),
    instances.get(id, signal),
  ]);
  if (state.status !== 'Running' && state.status !== 'Frozen') throw notRunning();
  const quota = /^(\d+)GiB$/.exec(devices?.root?.size ?? '')?.[1];
  return {
    cpuSeconds: (state.cpu?.usage ?? 0) / 1e9,
    memoryBytes: state.memory?.usage ?? 0,
    diskBytes: state.disk?.root?.usage ?? 0,
    ...(quota === undefined ? {} : { diskTotalBytes: Number(quota) * 2 ** 30 }),
  };
}
