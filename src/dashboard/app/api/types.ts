import type { Answer, Computer as ContractComputer } from '../../../contract/types/index.js';

export type { KEY_ENDED } from '../../../contract/constants.js';
export type {
  Answer,
  AuditEntry,
  ClusterMember as Member,
  Connection,
  Control,
  CreatedWebhook,
  Delivery,
  FileEntry,
  Health,
  Image,
  Me,
  Project,
  RemovedKey,
  Run,
  RunTask,
  Secret,
  Snapshot,
  StatsHistory,
  StatsSample,
  StreamStatus,
  Trajectory,
  TrajectoryStep,
  TrajectorySteps,
  UsageReport,
  Volume,
  Webhook,
} from '../../../contract/types/index.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Lists {
  readonly projects: Answer<'listProjects'>;
  readonly secrets: Answer<'listSecrets'>;
  readonly connections: Answer<'listConnections'>;
  readonly volumes: Answer<'listVolumes'>;
  readonly webhooks: Answer<'listWebhooks'>;
  readonly deliveries: Answer<'listDeliveries'>;
  readonly members: Answer<'listMembers'>;
  readonly images: Answer<'listImages'>;
  readonly snapshots: Answer<'listSnapshots'>;
  readonly audit: Answer<'listAudit'>;
  readonly runs: Answer<'listRuns'>;
  readonly directory: Answer<'listDirectory'>;
}

export type Rights = 'look' | 'act' | 'manage';

export type Computer = ContractComputer;
export type Status = Computer['status'];

/** A computer on the wall; `seq` grows when its picture changes. Only the wall has the last two. */
export interface WallComputer extends Computer {
  readonly seq: number;
  readonly captures?: readonly ('recording' | 'stream')[];
  readonly viewers?: readonly (string | null)[];
}

export type Key = Answer<'listKeys'>['keys'][number];
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
