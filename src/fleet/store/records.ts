import type { Right } from '../../contract/access/rights.js';
import type { ComputerStatus } from '../../contract/resources.js';

export interface OwnerRecord {
  readonly id: string;
  readonly name: string;
  readonly role: 'administrator' | 'member';
  /** Limit of running computers; null for the service's limit. */
  readonly max_running: number | null;
  /** Limit of saved disks in GB; null for the service's limit. */
  readonly max_storage: number | null;
  readonly created_at: string;
  /** Id of the key that created it. */
  readonly created_by: string | null;
  /** Id of the key that requested its deletion; null unless it is being deleted. */
  readonly deleting_by: string | null;
}

/** What a key may use in all; null for no limit. */
export interface KeyBudgets {
  readonly max_computers: number | null;
  readonly max_hours: number | null;
  readonly max_actions: number | null;
}

export interface KeyRecord extends KeyBudgets {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly hash: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  /** Id of the key that created it. */
  readonly created_by: string | null;
  readonly rights: Right;
  /** The only project that it is for; null for all. */
  readonly project_id: string | null;
  readonly expires_at: string | null;
  /** The nearest key that has made it, itself or through others, and that was not removed. */
  readonly maker: string | null;
  /** How its text begins; null if it is not known. */
  readonly prefix: string | null;
}

export interface ProjectRecord {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  /** 1 once its deletion was requested. */
  readonly deleting: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ComputerRecord {
  readonly id: string;
  readonly project_id: string;
  readonly project_name: string;
  readonly owner_id: string;
  readonly name: string;
  readonly os: 'linux' | 'windows';
  readonly ram: number;
  readonly cpu: number;
  readonly gpu: string;
  readonly image: string;
  readonly engine: string;
  /** Member of the cluster that it is on, or is to be created on; null if the cluster chooses it. */
  readonly member: string | null;
  /** Group of members that it is to be created in. */
  readonly member_group: string | null;
  readonly width: number;
  readonly height: number;
  /** The `MachineSize` that its machine has: JSON; null if it was never changed. */
  readonly machine_size: string | null;
  readonly auto_stop_minutes: number | null;
  readonly on_idle: 'stop' | 'delete';
  readonly expires_at: string | null;
  /** Texts by name: JSON. */
  readonly labels: string;
  /** 1 while it must not be deleted. */
  readonly protected: number;
  /** Environment variables, encrypted; null for none. */
  readonly env: string | null;
  readonly timezone: string | null;
  readonly locale: string | null;
  /** 0 if its user must not become root. */
  readonly sudo: number;
  /** What it may reach: JSON. */
  readonly network: string;
  /** The {@link MountedVolume}s: JSON. */
  readonly volumes: string;
  readonly status: ComputerStatus;
  readonly status_reason: string | null;
  readonly private_key: string;
  readonly public_key: string;
  readonly created_at: string;
  readonly started_at: string | null;
  /** 0 for a copy that is to be stopped, until it is to run. */
  readonly copy_runs: number;
  readonly copied_at: string | null;
  /** Id of the saved disk that it was made from; null if that is its image. */
  readonly source: string | null;
  /** Id of the snapshot that it was last saved as or reset to. */
  readonly snapshot: string | null;
  /** Id of the saved disk that it is being reset to; empty for its state after its creation. */
  readonly reset_to: string | null;
  /** Id of the key that created it; null if it is not known. */
  readonly created_by: string | null;
  /** The last name of that key, also after it was revoked; null if it is not known. */
  readonly created_by_name: string | null;
  readonly created_by_prefix: string | null;
}

/** A machine that was started, or copied from one, has its own disk, which can be lost. */
export function hasDisk({
  started_at,
  copied_at,
}: Pick<ComputerRecord, 'started_at' | 'copied_at'>): boolean {
  return started_at !== null || copied_at !== null;
}

/** Statuses in which a computer counts against its owner's limit. */
const OCCUPYING: readonly ComputerStatus[] = ['starting', 'running', 'stopping'];

/**
 * Whether a computer counts against its owner's limit. A copy that is to be stopped does not, even while
 * it is made.
 */
export function isCounted({
  status,
  copied_at,
  copy_runs,
}: Pick<ComputerRecord, 'status' | 'copied_at' | 'copy_runs'>): boolean {
  return OCCUPYING.includes(status) && (copied_at !== null || copy_runs === 1);
}

/** {@link isCounted} as a condition in SQL. */
export const IS_COUNTED = `status IN (${OCCUPYING.map((status) => `'${status}'`).join(', ')})
  AND NOT (copied_at IS NULL AND copy_runs = 0)`;

/** A disk that an engine keeps; see the schema. */
export interface SavedDiskRecord {
  readonly id: string;
  readonly kind: 'snapshot' | 'image';
  readonly owner_id: string;
  readonly computer_id: string | null;
  readonly engine: string;
  readonly name: string | null;
  readonly parent: string | null;
  readonly state: 'saving' | 'ready' | 'retired';
  readonly os: 'linux' | 'windows';
  /** What an image built from a Dockerfile passes on: JSON. */
  readonly config: string | null;
  /** 1 for an image that an administrator has made for all owners. */
  readonly shared: number;
  readonly memory: number;
  readonly bytes: number;
  readonly created_at: string;
}

/** A published port with its computer; see the schema. */
export interface PublicationRecord {
  readonly label: string;
  readonly computer_id: string;
  readonly port: number;
  readonly key_id: string;
  readonly ticket_hash: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly owner_id: string;
  readonly project_id: string;
  readonly computer: string;
  readonly project: string;
}

/** A volume of an owner; see the schema. */
export interface VolumeRecord {
  readonly id: string;
  readonly owner_id: string;
  readonly engine: string;
  /** Of its cluster; null for an engine without members. */
  readonly member: string | null;
  readonly name: string;
  readonly state: 'creating' | 'ready' | 'deleting';
  readonly bytes: number;
  readonly created_at: string;
}

/** A volume in a computer. */
export interface MountedVolume {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly read_only: boolean;
}

/** What is done once in a new computer. */
export interface SetupRecord {
  readonly computer_id: string;
  /** JSON, encrypted. */
  readonly files: string;
  /** Encrypted. */
  readonly script: string | null;
  readonly next: 'files' | 'script' | 'nothing';
}

/** A target of streams. Its URL and key are in `sealed`, encrypted. */
export interface StreamTargetRecord {
  readonly owner_id: string;
  readonly name: string;
  readonly sealed: string;
  readonly created_at: string;
}

/** A secret of a project. Its value is in `sealed`, encrypted. */
export interface SecretRecord {
  readonly project_id: string;
  readonly name: string;
  readonly sealed: string;
  readonly created_at: string;
  readonly updated_at: string;
}
