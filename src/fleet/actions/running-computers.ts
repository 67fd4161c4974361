import type { Elements } from '../../contract/actions/actions.js';
import { ApiError } from '../../contract/errors.js';
import type { Region } from '../../screen/types.js';
import type { ControlLeases } from '../control/leases.js';
import type { Marked } from '../elements/marks.js';
import { LOST, lostReason, lostRemedy } from '../errors/lost-machine.js';
import { withGuestDeadline } from '../guest-deadline.js';
import type { Machines } from '../lifecycle/machines.js';
import type { Lines } from '../screen-text/screen-text.js';
import type { Secrets } from '../secrets/secrets.js';
import type { Session } from '../sessions/session.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';
import type { RecordedAction } from '../trajectories/recorded-action.js';
import type { PreparedInput } from './input-actions.js';

const READY_WITHIN_MS = 60_000;

export interface Locating {
  /** The same input of an API key, performed in the middle of its element if it is for one. */
  locate(
    session: Session,
    record: ComputerRecord,
    input: PreparedInput,
    signal?: AbortSignal,
    keyId?: string,
  ): Promise<PreparedInput>;
  /** The elements that can be clicked, numbered for a picture. */
  mark(
    session: Session,
    region: Region | undefined,
    signal?: AbortSignal,
    keyId?: string,
  ): Promise<Marked>;
  /** The elements on the screen. */
  all(session: Session, signal?: AbortSignal): Promise<Elements>;
  /** The text that can be read on the screen. */
  text(session: Session, signal?: AbortSignal): Promise<Lines>;
}

/** What actions need besides the running computers. */
export interface ActionsParts {
  readonly secrets: Pick<Secrets, 'filler'>;
  readonly elements: Locating;
  /** Called for every background command that was started. */
  onJob?(record: ComputerRecord, job: string): void;
  /** Who may give input, and what the first picture after a return says. */
  readonly control: Pick<ControlLeases, 'check' | 'onTaken' | 'returnedSince'>;
  /** Records actions of the computers that are being recorded. */
  readonly trajectories?: {
    record<T>(id: string, describe: () => RecordedAction, work: () => Promise<T>): Promise<T>;
  };
}

/** Gives access to computers that run, and refuses the others. */
export class RunningComputers {
  readonly #store: Store;
  readonly #machines: Machines;

  constructor(store: Store, machines: Machines) {
    this.#store = store;
    this.#machines = machines;
  }

  /**
   * The session of a running computer. Waits up to 60 s for one that is starting; throws ApiError
   * `not_running` or `not_found` for one that was stopped or deleted.
   */
  async session(record: ComputerRecord, signal?: AbortSignal): Promise<Session> {
    return this.sessionOf(this.#present(record), signal);
  }

  /** The same for a computer as it is now. */
  async sessionOf(present: ComputerRecord, signal?: AbortSignal): Promise<Session> {
    const { name, status } = present;
    if (status === 'deleting') throw deleted(present);
    const machine = this.#machines.of(present);
    machine.session.lastUsed = performance.now();
    if (status === 'running') return machine.session;
    if (status !== 'starting') throw notRunning(present);
    const message = `The computer ${JSON.stringify(name)} is still starting.`;
    await withGuestDeadline(READY_WITHIN_MS, message, signal, () => machine.settled());
    const started = this.#present(present);
    if (started.status !== 'running') throw notRunning(started);
    return machine.session;
  }

  /** As {@link session}, and at once while the setup of a starting computer runs. */
  async sessionForJobs(record: ComputerRecord, signal?: AbortSignal): Promise<Session> {
    const present = this.#present(record);
    const { session } = this.#machines.of(present);
    const isSettingUp = present.status === 'starting' && session.settingUp;
    return isSettingUp ? session : this.sessionOf(present, signal);
  }

  /** The session of a computer that runs, to look at it: that is no use of it. */
  observed(record: ComputerRecord): Session {
    const present = this.#present(record);
    if (present.status !== 'running') throw notRunning(present);
    return this.#machines.of(record).session;
  }

  /** Throws unless the computer is running or starting. */
  refuseStopped(record: ComputerRecord): void {
    const present = this.#present(record);
    if (present.status !== 'running' && present.status !== 'starting') throw notRunning(present);
  }

  /** The computer as it is now. */
  #present(record: ComputerRecord): ComputerRecord {
    const present = this.#store.computers.findById(record.id);
    if (present && present.status !== 'deleting') return present;
    throw deleted(record);
  }
}

function deleted({ name, project_name }: ComputerRecord): ApiError {
  return new ApiError('not_found', `The computer ${JSON.stringify(name)} is deleted.`, {
    remedy: `See: vc ls -p ${project_name}`,
  });
}

function notRunning(record: ComputerRecord): ApiError {
  const { status, status_reason: reason } = record;
  const isLost = reason === lostReason(record);
  const detail = reason ? `: ${isLost ? LOST : reason}` : '.';
  const what = `The computer ${JSON.stringify(record.name)}`;
  const message =
    status === 'error' ? `${what} has the status error${detail}` : `${what} is ${status}.`;
  return new ApiError('not_running', message, isLost ? { remedy: lostRemedy(record) } : {});
}
