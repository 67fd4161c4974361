import type { Engine } from '../../engines/engine.js';
import type { PreparedMachine } from '../../engines/pool/reserving.js';
import { sleep } from '../../lib/async/sleep.js';
import { READY_SCRIPT } from '../lifecycle/readiness.js';
import { variablesOf } from '../setup/variables.js';
import type { Store } from '../store/index.js';
import { type Connectors, realConnectors, Session, type SessionRecord } from './session.js';
import { SpareConnections } from './spare-connections.js';

const FIRST_MS = 30_000;
/** Time for the last programs of the desktop to start. */
const SETTLE_MS = 3_000;

/** The sessions of computers, and of machines that are ready to become one. */
export class MachineSessions {
  readonly #store: Store;
  readonly #connectors: Connectors;
  readonly #spares = new SpareConnections();
  /** Of machines without a computer, by the id that it will have. */
  readonly #prepared = new Map<string, Session>();

  constructor(store: Store, connectors: Connectors = realConnectors) {
    this.#store = store;
    this.#connectors = connectors;
  }

  /** The session of a new {@link Machine}; that of a prepared one is connected already. */
  of(engine: Engine, record: SessionRecord): Session {
    const prepared = this.#prepared.get(record.id);
    this.#prepared.delete(record.id);
    return prepared ?? this.#open(engine, record);
  }

  /**
   * Does what clients usually do first: reads the screen, and runs a command and Python. Keeps the
   * connections for the computer that the machine becomes, also while the machine is paused.
   */
  async prepare(
    engine: Engine,
    { id, privateKey, resolution }: PreparedMachine,
    signal: AbortSignal,
  ): Promise<void> {
    const session = this.#open(engine, { id, private_key: privateKey });
    this.#prepared.set(id, session);
    await session.hold(resolution, signal);
    await session.shell.prepare(async (shell) => {
      await shell.run({ command: READY_SCRIPT, timeoutMs: FIRST_MS, background: false });
      await shell.python({ code: 'pass', timeoutMs: FIRST_MS });
    }, signal);
    await sleep(SETTLE_MS, signal);
    await session.screen.prepare((screen) => screen.refresh(signal), signal);
  }

  /** The machine is removed, and never was a computer's. */
  discard(id: string): void {
    this.#prepared.get(id)?.close();
    this.#prepared.delete(id);
  }

  #open(engine: Engine, record: SessionRecord): Session {
    return new Session(engine, record, this.#connectors, this.#spares, () => {
      const present = this.#store.computers.findById(record.id);
      return present === undefined ? {} : variablesOf(present, this.#store);
    });
  }
}
