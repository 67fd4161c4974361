import type { Answer, Computer as ContractComputer } from '../../../contract/types/index.js';

export type { KEY_ENDED } from '../../../contract/constants.js';
export type {
  AuditEntry,
  ClusterMember as Member,
  Connection,
  Control,
  FileEntry,
  Image,
  Me,
  Project,
  RemovedKey,
  Secret,
  Snapshot,
  StreamStatus,
  Trajectory,
  TrajectoryStep,
  TrajectorySteps,
  UsageReport,
} from '../../../contract/types/index.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Lists {
  readonly projects: Answer<'listProjects'>;
  readonly secrets: Answer<'listSecrets'>;
  readonly connections: Answer<'listConnections'>;
  readonly members: Answer<'listMembers'>;
  readonly images: Answer<'listImages'>;
  readonly snapshots: Answer<'listSnapshots'>;
  readonly audit: Answer<'listAudit'>;
  readonly directory: Answer<'listDirectory'>;
}

export type Rights = 'look' | 'act' | 'manage';

export type Computer = ContractComputer;
export type Status = Computer['status'];

/** A computer on the wall; `seq` grows when its picture changes. */
export interface WallComputer extends Computer {
  readonly seq: number;
}

export interface Key {
  readonly id: string;
  readonly name: string;
  readonly prefix: string | null;
  readonly rights: Rights;
  /** The project that it is limited to; null for all. */
  readonly project: { readonly id: string; readonly name: string } | null;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly created_at: string;
}
export interface CreatedKey extends Key {
  readonly key: string;
}

export interface Session {
  readonly owner: {
    readonly id: string;
    readonly name: string;
    readonly role: 'administrator' | 'member';
  };
  readonly key: Pick<Key, 'id' | 'name' | 'rights' | 'project' | 'expires_at'>;
  /** Whether there is a cluster whose members the session may list. */
  readonly has_members: boolean;
  readonly created_at: string;
  readonly expires_at: string;
}
