import type { ApiError, ErrorCode } from '../../contract/errors.js';
import { shellWord } from '../../lib/text/shell-word.js';
import type { ComputerRecord } from '../store/records.js';

/** A computer as `vc` commands name it, `project/name`, quoted for a shell. */
export function inCommands(computer: Pick<ComputerRecord, 'project_name' | 'name'>): string {
  return shellWord(`${computer.project_name}/${computer.name}`);
}

/** The subject of an error, as far as it is known. */
export interface Subject {
  readonly computer?: Pick<ComputerRecord, 'project_name' | 'name'> | undefined;
  /** Id of the background job, where it is about one. */
  readonly job?: string | undefined;
  /** Id of the request, under which the log describes an internal error. */
  readonly requestId?: string;
}

/** Remedies of errors that carry none of their own, by code. */
const ANY_SUBJECT: Partial<Record<ErrorCode, string>> = {
  name_taken: 'Choose another name, or remove the existing one first.',
  unknown_key: 'See how keys are named: vc press --help',
  target_failed: 'Check the URL, and that a server listens there.',
  unauthorized: 'Check VC_API_KEY, or log in with a new key: vc login',
  engine_unavailable: 'vc doctor',
};

const OF_COMPUTER: Partial<Record<ErrorCode, (computer: string) => string>> = {
  not_running: (computer) => `Start it: vc start ${computer}`,
  conflict: (computer) => `See its status: vc get ${computer}`,
  off_screen: (computer) => `See the screen: vc screenshot ${computer}`,
  // A file: an error about a missing computer has its own remedy.
  not_found: (computer) => `See what is there: vc bash ${computer} 'ls -la'`,
  guest_timeout: (computer) => `See its status: vc get ${computer}`,
  guest_failed: (computer) => `See its status: vc get ${computer}`,
};

/** The error's remedy: its own, or else the general one for its code. */
export function remedyOf(
  { code, remedy }: Pick<ApiError, 'code' | 'remedy'>,
  { computer, job, requestId }: Subject = {},
): string | undefined {
  if (remedy !== undefined) return remedy;
  if (code === 'internal' && requestId !== undefined)
    return `See the service's log for request ${requestId}.`;
  if (computer === undefined) return ANY_SUBJECT[code];
  const name = inCommands(computer);
  if (code === 'not_found' && job !== undefined) return `See: vc job ls ${name}`;
  return OF_COMPUTER[code]?.(name) ?? ANY_SUBJECT[code];
}
