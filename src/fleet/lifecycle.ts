import type { ComputerStatus } from '../contract/resources.js';
import type { MachineState } from '../engines/engine.js';
import { type ComputerRecord, hasDisk } from './store/records.js';

/** What somebody asks of a computer. Written as its status before anything is done: the intent. */
export type Ask = 'start' | 'restart' | 'stop' | 'remove';

/** How a step went. `copied`: it is a whole copy that is not to run; `delayed`: the engine is away. */
export type Result = 'ready' | 'stopped' | 'copied' | 'failed' | 'delayed' | 'removed';

/** What the engine says of a machine that no step is at work on. `lost`: it is gone with its disk. */
export type News = 'seen running' | 'seen stopped' | 'seen failed' | 'lost';

/** Everything that can change a computer's status. */
export type Occasion = Ask | Result | News;

/** How a computer begins. */
export const INITIAL: ComputerStatus = 'starting';

/**
 * The lifecycle: what each occasion makes of each status. What is not in it is refused when it is
 * asked, and passed over when it is a result or news that came too late. `gone` takes the row away.
 */
export const TRANSITIONS: {
  readonly [S in ComputerStatus]: Partial<Record<Occasion, ComputerStatus | 'gone'>>;
} = {
  starting: {
    ...{ start: 'starting', restart: 'starting', stop: 'stopping', remove: 'deleting' },
    ...{ ready: 'running', copied: 'stopped', failed: 'error', delayed: 'starting' },
    lost: 'error',
  },
  running: {
    ...{ start: 'running', restart: 'starting', stop: 'stopping', remove: 'deleting' },
    ...{ 'seen running': 'running', 'seen stopped': 'stopped', 'seen failed': 'error' },
    lost: 'error',
  },
  stopping: {
    ...{ start: 'starting', restart: 'starting', stop: 'stopping', remove: 'deleting' },
    ...{ stopped: 'stopped', failed: 'error', delayed: 'stopping' },
    lost: 'error',
  },
  stopped: {
    ...{ start: 'starting', restart: 'starting', stop: 'stopped', remove: 'deleting' },
    ...{ 'seen running': 'running', 'seen stopped': 'stopped', 'seen failed': 'error' },
    lost: 'error',
  },
  error: {
    ...{ start: 'starting', restart: 'starting', stop: 'stopping', remove: 'deleting' },
    // Why it failed stays to be read until somebody starts it again: `seen stopped` is no news.
    ...{ 'seen running': 'running', 'seen failed': 'error', lost: 'error' },
  },
  deleting: { remove: 'deleting', failed: 'deleting', delayed: 'deleting', removed: 'gone' },
};

/** The step that a status intends; a status without one rests. */
export const INTENDED = {
  starting: 'start',
  stopping: 'stop',
  deleting: 'remove',
} as const satisfies Partial<Record<ComputerStatus, Ask>>;

/** What the reconciler has to do about a computer. */
export type Verdict =
  | { readonly pursue: 'start' | 'stop' | 'remove' }
  | { readonly news: News; readonly reason: string | null };

const LOST = 'Its machine was removed outside vc and its disk is lost; delete the computer.';

/**
 * Holds the intent in the row against the machine's state, undefined where there is none. For a
 * computer that no step is at work on; `sourceIsGone`: it is a copy that can never become whole.
 */
export function judge(
  record: Pick<ComputerRecord, 'status' | 'started_at' | 'copied_at'>,
  state: Pick<MachineState, 'status' | 'reason'> | undefined,
  sourceIsGone: boolean,
): Verdict | undefined {
  const { status } = record;
  if (status === 'deleting' || sourceIsGone) return { pursue: 'remove' };
  if (state === undefined && hasDisk(record)) return { news: 'lost', reason: LOST };
  // Without a disk there is nothing that could have been lost: what is intended can still be done.
  if (status === 'starting' || status === 'stopping') return { pursue: INTENDED[status] };
  if (state === undefined) return undefined;
  const news = { running: 'seen running', stopped: 'seen stopped', error: 'seen failed' } as const;
  return { news: news[state.status], reason: state.reason ?? null };
}
