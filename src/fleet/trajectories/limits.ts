import { ApiError } from '../../contract/errors.js';

export interface TrajectoryLimits {
  /** Actions of a trajectory. */
  readonly steps: number;
  /** Bytes of a trajectory, with its pictures. */
  readonly bytes: number;
  /** Bytes of all trajectories of an owner. */
  readonly ofOwner: number;
  /** Bytes that stay free on the disk of the service. */
  readonly freeDisk: number;
}

export const LIMITS: TrajectoryLimits = {
  steps: 10_000,
  bytes: 256 * 2 ** 20,
  ofOwner: 2 ** 30,
  freeDisk: 256 * 2 ** 20,
};

/** What a trajectory has reached, in a sentence; undefined if it may continue. */
export function reached(
  { steps, bytes }: Pick<TrajectoryLimits, 'steps' | 'bytes'>,
  limits: TrajectoryLimits,
): string | undefined {
  if (steps >= limits.steps) {
    return `The trajectory has ${limits.steps} steps, which is the limit.`;
  }
  if (bytes >= limits.bytes) {
    return `The trajectory has ${mib(limits.bytes)} MiB, which is the limit.`;
  }
  return undefined;
}

/** That the disk has too little space for more, in a sentence. */
export function lowDisk({ freeDisk }: TrajectoryLimits): string {
  return `The disk of the service has less than ${mib(freeDisk)} MiB free.`;
}

/** Throws `limit_reached` if the disk has no room for a trajectory. */
export function checkDisk(free: number, limits: TrajectoryLimits): void {
  if (free >= limits.freeDisk) return;
  throw new ApiError('limit_reached', `${lowDisk(limits)} No actions are recorded.`, {
    remedy: "Free space on the service's host.",
  });
}

function mib(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
