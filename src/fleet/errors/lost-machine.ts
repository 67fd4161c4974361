import { ApiError } from '../../contract/errors.js';
import type { ComputerRecord } from '../store/records.js';
import { inCommands } from './remedies.js';

type Named = Pick<ComputerRecord, 'project_name' | 'name'>;

export const LOST = 'Its machine was removed outside vc, and its disk is lost.';

/** The only thing to do about it. */
export function lostRemedy(computer: Named): string {
  return `Remove the computer: vc rm ${inCommands(computer)}`;
}

/** The reason of the status `error` of a computer whose machine is gone. */
export function lostReason(computer: Named): string {
  return `${LOST} ${lostRemedy(computer)}`;
}

/** Whether the machine of a computer is gone; also if the computer was renamed since. */
export function isLost({
  status,
  status_reason: reason,
}: Pick<ComputerRecord, 'status' | 'status_reason'>): boolean {
  return status === 'error' && reason?.startsWith(LOST) === true;
}

/** A computer cannot be started, because the machine with its disk is gone. */
export class LostMachine extends ApiError {
  /** For the status of the computer. */
  readonly reason: string;

  constructor(computer: Named, cause: unknown) {
    super('not_found', LOST, { remedy: lostRemedy(computer), cause });
    this.reason = lostReason(computer);
  }
}
