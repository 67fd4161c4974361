import { ApiError } from '../../contract/errors.js';
import { withGuestDeadline } from '../guest-deadline.js';
import type { Machines } from '../lifecycle/machines.js';
import type { Session } from '../sessions/session.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';

const READY_WITHIN_MS = 60_000;

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
    const { name, status } = this.#present(record);
    const machine = this.#machines.of(record);
    machine.session.lastUsed = performance.now();
    if (status !== 'starting') {
      this.refuseStopped(record);
      return machine.session;
    }
    const message = `The computer ${JSON.stringify(name)} is still starting.`;
    await withGuestDeadline(READY_WITHIN_MS, message, signal, () => machine.settled());
    const present = this.#present(record);
    if (present.status !== 'running') throw notRunning(present);
    return machine.session;
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
    throw new ApiError('not_found', `The computer ${JSON.stringify(record.name)} is deleted.`, {
      remedy: `See: vc ls -p ${record.project_name}`,
    });
  }
}

function notRunning({ name, status, status_reason: reason }: ComputerRecord): ApiError {
  const detail = reason ? ` (${reason})` : '';
  const message = `The computer ${JSON.stringify(name)} is ${status}${detail}.`;
  return new ApiError('not_running', message);
}
