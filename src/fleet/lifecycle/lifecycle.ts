import type { ComputerStatus } from '../../contract/resources.js';
import type { MachineState } from '../../engines/engine.js';
import { hidePaths } from '../../lib/text/hide-paths.js';
import { lostReason } from '../errors/lost-machine.js';
import { type ComputerRecord, hasDisk } from '../store/records.js';

/** Requests. Stored as the computer's status before anything is done: the intent. */
export type Ask = 'start' | 'restart' | 'reset' | 'stop' | 'remove';

/** Result of a step. `copied`: a complete copy that should not run; `delayed`: the engine is away. */
export type Result = 'ready' | 'stopped' | 'copied' | 'failed' | 'delayed' | 'removed';

/** Engine reports about a machine without a running step. `lost`: it is gone with its disk. */
export type News = 'seen running' | 'seen stopped' | 'seen failed' | 'lost';

/** Everything that can change a computer's status. */
export type Occasion = Ask | Result | News;

/** The status of a new computer. */
export const INITIAL: ComputerStatus = 'starting';

/**
 * The lifecycle: the next status for each status and occasion. Other combinations are refused for
 * requests and ignored for late results and reports. `gone` removes the row.
 */
export const TRANSITIONS: {
  readonly [S in ComputerStatus]: Partial<Record<Occasion, ComputerStatus | 'gone'>>;
} = {
  starting: {
    start: 'starting',
    restart: 'starting',
    stop: 'stopping',
    remove: 'deleting',
    ready: 'running',
    copied: 'stopped',
    failed: 'error',
    delayed: 'starting',
    lost: 'error',
  },
  running: {
    start: 'running',
    restart: 'starting',
    reset: 'starting',
    stop: 'stopping',
    remove: 'deleting',
    'seen running': 'running',
    'seen stopped': 'stopped',
    'seen failed': 'error',
    lost: 'error',
  },
  stopping: {
    start: 'starting',
    restart: 'starting',
    stop: 'stopping',
    remove: 'deleting',
    stopped: 'stopped',
    failed: 'error',
    delayed: 'stopping',
    lost: 'error',
  },
  stopped: {
    start: 'starting',
    restart: 'starting',
    reset: 'stopping',
    stop: 'stopped',
    remove: 'deleting',
    'seen running': 'running',
    'seen stopped': 'stopped',
    'seen failed': 'error',
    lost: 'error',
  },
  error: {
    start: 'starting',
    restart: 'starting',
    reset: 'starting',
    stop: 'stopping',
    remove: 'deleting',
    // Keep the reason of the failure until the next start: ignore `seen stopped`.
    'seen running': 'running',
    'seen failed': 'error',
    lost: 'error',
  },
  deleting: { remove: 'deleting', failed: 'deleting', delayed: 'deleting', removed: 'gone' },
};

/** The step that a status intends, if any. */
export const INTENDED = {
  starting: 'start',
  stopping: 'stop',
  deleting: 'remove',
} as const satisfies Partial<Record<ComputerStatus, Ask>>;

/** Why a computer is stopped whose machine ended, if its engine does not know more. */
const ENDED = 'It was shut down, or stopped outside of this service.';

/** The reconciler's decision about a computer. */
export type Verdict =
  | { readonly pursue: 'start' | 'stop' | 'remove' }
  | { readonly news: News; readonly reason: string | null };

/**
 * Compares the intent in the row with the machine's state, which is undefined without a machine.
 * Only for a computer without a running step.
 */
export function judge(
  record: Pick<
    ComputerRecord,
    'status' | 'started_at' | 'copied_at' | 'reset_to' | 'project_name' | 'name'
  >,
  state: Pick<MachineState, 'status' | 'reason' | 'isMoving'> | undefined,
): Verdict | undefined {
  const { status } = record;
  // Nothing is known of it until its host answers again; only an interrupted move needs a step.
  if (state?.status === 'unreachable' && !state.isMoving) return undefined;
  if (status === 'deleting') return { pursue: 'remove' };
  // A reset may replace the machine.
  const isLost = state === undefined && hasDisk(record) && record.reset_to === null;
  if (isLost) return { news: 'lost', reason: lostReason(record) };
  // Without a disk nothing is lost, and the intent can still be carried out.
  if (status === 'starting' || status === 'stopping') return { pursue: INTENDED[status] };
  if (state === undefined || state.status === 'unreachable') return undefined;
  const news = { running: 'seen running', stopped: 'seen stopped', error: 'seen failed' } as const;
  // What stopped it is known already.
  if (status === 'stopped' && state.status === 'stopped') return undefined;
  const reason = state.reason ?? (state.status === 'stopped' ? ENDED : undefined);
  return { news: news[state.status], reason: reason === undefined ? null : hidePaths(reason) };
}
