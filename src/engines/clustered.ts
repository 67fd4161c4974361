import type { Engine, MachineState } from './engine.js';

/** A host of a cluster. */
export interface ClusterMember {
  readonly name: string;
  /** `evacuated`: it takes no machines. */
  readonly status: 'online' | 'offline' | 'evacuated';
  /** What the cluster says about the status, in one line. */
  readonly detail: string;
  /** Host and port. */
  readonly address: string;
  readonly architecture: string;
  readonly groups: readonly string[];
  /** Absent if it cannot be measured. */
  readonly resources?: MemberResources;
}

export interface MemberResources {
  /** Cores. */
  readonly cpu: number;
  readonly memoryUsedBytes: number;
  readonly memoryTotalBytes: number;
  /** Of the storage for machines. */
  readonly diskUsedBytes: number;
  readonly diskTotalBytes: number;
}

/** An engine whose machines run on the members of a cluster; {@link MachineSpec.placement} chooses. */
export interface Clustered {
  /** Ordered by name. */
  members(signal?: AbortSignal): Promise<ClusterMember[]>;
  /** The same without resources, which takes one request. */
  memberStates(signal?: AbortSignal): Promise<Omit<ClusterMember, 'resources'>[]>;
  /** Name of the member that a machine is on; undefined without a cluster. */
  memberOf(id: string, signal?: AbortSignal): Promise<string | undefined>;
  /**
   * The states of those machines that exist although {@link Engine.list} lacked them: a list may lack
   * one that is being moved to another member.
   */
  unlisted(ids: readonly string[], signal?: AbortSignal): Promise<MachineState[]>;
  /**
   * Moves a stopped machine to another member, with its disk. Idempotent; completes a move that was
   * interrupted.
   */
  move(id: string, member: string, signal?: AbortSignal): Promise<void>;
}

export function isClustered(engine: Engine): engine is Engine & Clustered {
  return 'memberOf' in engine;
}
