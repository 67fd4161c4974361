import type { ComputerStatus } from '../../contract/resources.js';

export interface OwnerRecord {
  readonly id: string;
  readonly name: string;
  /** Computers that may run at once; null takes the service's limit. */
  readonly max_running: number | null;
}

export interface KeyRecord {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly hash: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

export interface ProjectRecord {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  /** 1 once its deletion was asked for. */
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
  readonly width: number;
  readonly height: number;
  readonly auto_stop_minutes: number | null;
  readonly status: ComputerStatus;
  readonly status_reason: string | null;
  readonly private_key: string;
  readonly public_key: string;
  readonly created_at: string;
  readonly started_at: string | null;
}

/** Statuses in which a computer counts against its owner's limit. */
export const OCCUPYING: readonly ComputerStatus[] = ['starting', 'running', 'stopping'];
