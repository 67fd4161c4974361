import { constants } from 'node:os';
import { ApiError } from '../../../contract/errors.js';
import { coalesce } from '../../../lib/async/coalesce.js';
import { currentBootId, processIs } from '../../../lib/process/identity.js';
import { excerpt } from '../../../lib/text/printable.js';
import type { Channel, MachineState } from '../../engine.js';
import { QmpError, type QmpEvent } from '../monitor/client.js';
import { prepareDirectory } from '../process/account.js';
import { lastLogLines } from '../process/log.js';
import { readProcessRecord } from '../process/process-record.js';
import { cancelMigration, removeResumeFiles } from '../snapshots/migration.js';
import { type MachineRecord, readMachineRecord, writeMachineRecord } from './machine-record.js';
import { QemuProcess, type Workspace } from './qemu-process.js';

/** A QEMU that hangs must not delay the others. */
const ADOPT_MS = 2_000;

const DISK_FULL =
  "The host's disk is full, so the computer is paused; free some space, then start it again.";

export interface MachineListeners {
  /** Its state may have changed. */
  onChange(id: string): void;
  /** The guest rebooted and must be configured again. */
  onReset(id: string): Promise<void>;
  /** The guest closed a stream. */
  onHangUp(id: string, channel: Channel): void;
}

/** A machine: its directory, its record, and its QEMU process while there is one. */
export class QemuMachine {
  readonly id: string;
  readonly directory: string;
  readonly #listeners: MachineListeners;
  /** Coalesced: a guest can reboot in a loop, and each configuration opens a connection. */
  readonly #onReset: () => void;
  #record: MachineRecord | undefined;
  #qemu: QemuProcess | undefined;
  #pauseReason: string | undefined;
  /** False for a QEMU of an earlier service until {@link recover} has succeeded. */
  #isRecovered = false;
  #workspace: Workspace | undefined;
  /** Why its record cannot be read. */
  #readError: string | undefined;

  constructor(id: string, directory: string, listeners: MachineListeners) {
    this.id = id;
    this.directory = directory;
    this.#listeners = listeners;
    this.#onReset = coalesce(() => listeners.onReset(id));
  }

  /** Undefined until the machine is created completely. */
  get record(): MachineRecord | undefined {
    return this.#record;
  }

  /** Its QEMU process, while that runs. */
  get qemu(): QemuProcess | undefined {
    return this.#qemu?.alive ? this.#qemu : undefined;
  }

  /** The reason why QEMU paused the guest. */
  get pauseReason(): string | undefined {
    return this.#pauseReason;
  }

  /** Its directory, which is created unless it exists, and its account. */
  async workspace(): Promise<Workspace> {
    this.#workspace ??= {
      directory: this.directory,
      account: await prepareDirectory(this.directory),
    };
    return this.#workspace;
  }

  /** Reads the record and adopts the QEMU that an earlier service left running. */
  async load(): Promise<void> {
    this.#readError = undefined;
    this.#record = await readMachineRecord(this.directory).catch((error) => {
      const words = error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
      this.#readError = `Its record machine.json cannot be read: ${words.slice(0, 200)}`;
      return undefined;
    });
    // An earlier service may have ended just before it removed them.
    if (this.#record?.used) await removeResumeFiles(this.directory).catch(() => undefined);
    const last = await readProcessRecord(this.directory);
    const identity = last?.identity ?? this.#record?.process;
    if (!identity || last?.exited || !(await processIs(identity))) return;
    this.attach(QemuProcess.adopt(await this.workspace(), identity));
    await this.recover();
  }

  /**
   * Undoes a save during which an earlier service ended and left the guest paused. Returns false if
   * QEMU did not answer in time: call it again then. Must not run while the machine is saved.
   */
  async recover(): Promise<boolean> {
    const { qemu } = this;
    if (qemu === undefined || this.#isRecovered) return true;
    try {
      await this.#undoSave(qemu);
    } catch {
      return false;
    }
    this.#isRecovered = true;
    return true;
  }

  async #undoSave(qemu: QemuProcess): Promise<void> {
    const call = { timeoutMs: ADOPT_MS };
    const status = await qemu.status(call);
    if (status === 'io-error') this.#pauseReason = DISK_FULL;
    // An unused guest may be resuming: that is an incoming migration.
    else if (this.#record?.used) await cancelMigration(qemu, call, ADOPT_MS);
    const top = this.#record?.layers.at(-1);
    // Fails while the node is in use. If it is not, the save added it and stopped before switching.
    if (top) await qemu.execute('blockdev-del', { 'node-name': top }, call).catch(ignoreRefusal);
  }

  /** Throws if the record is damaged. Such a machine can only be removed. */
  assertReadable(): void {
    if (this.#readError !== undefined) throw new ApiError('internal', this.#readError);
  }

  /** Drops all state, after its directory was removed. */
  forget(): void {
    this.#readError = undefined;
    this.#qemu?.release();
    this.#qemu = undefined;
    this.#record = undefined;
    this.#workspace = undefined;
  }

  /** Changes the record. On disk once it resolves. */
  async write(change: Partial<MachineRecord>): Promise<MachineRecord> {
    if (this.#record === undefined) throw new Error(`machine ${this.id} has no record`);
    return this.writeNew({ ...this.#record, ...change });
  }

  async writeNew(record: MachineRecord): Promise<MachineRecord> {
    await writeMachineRecord(this.directory, record);
    this.#record = record;
    return record;
  }

  /** Makes `qemu` the machine's process. */
  attach(qemu: QemuProcess): void {
    this.#qemu = qemu;
    this.#pauseReason = undefined;
    qemu.onEvent((event) => this.#handle(event));
    qemu.exited.then(() => {
      qemu.release();
      if (this.#qemu === qemu) this.#listeners.onChange(this.id);
    });
  }

  get state(): MachineState {
    const reason = this.#readError ?? (this.qemu ? this.#pauseReason : this.#record?.failure);
    if (reason) return { id: this.id, status: 'error', reason };
    // Claimed from the pool: its paused guest has not been configured as this machine.
    if (this.#record?.resume === 'pool') return { id: this.id, status: 'stopped' };
    return { id: this.id, status: this.qemu ? 'running' : 'stopped' };
  }

  /**
   * Records why its process exited if the service did not end it. Must not run while the machine is
   * started or stopped.
   */
  async recordExit(): Promise<void> {
    const { record } = this;
    if (this.qemu || record?.intended !== 'running' || record.process === null) return;
    const failure = await this.#failure();
    await this.tryWrite({ intended: 'stopped', process: null, failure });
  }

  /** Like {@link write}, but keeps the change in memory if it cannot be written. */
  async tryWrite(change: Partial<MachineRecord>): Promise<void> {
    if (this.#record === undefined) return;
    this.#record = { ...this.#record, ...change };
    await writeMachineRecord(this.directory, this.#record).catch(() => undefined);
  }

  /** Null if the guest powered itself off or the host was restarted. */
  async #failure(): Promise<string | null> {
    const last = await readProcessRecord(this.directory);
    const identity = last?.identity ?? this.#record?.process;
    if (identity?.bootId !== (await currentBootId())) return null;
    const exited = last?.exited ?? { kind: 'unknown' as const };
    if (exited.kind === 'exited' && exited.status === 0) return null;
    const lines = (await lastLogLines(this.directory)).slice(0, 500);
    if (exited.kind === 'killed') {
      return `Its QEMU was killed (${signalName(exited.signal)}); end of its log: ${lines}`;
    }
    return `Its QEMU exited: ${lines}`;
  }

  #handle({ event, data }: QmpEvent): void {
    if (event === 'RESET' && data.guest === true) this.#onReset();
    if (event === 'VSERPORT_CHANGE' && data.open === false) {
      if (data.id === 'screen' || data.id === 'shell') this.#listeners.onHangUp(this.id, data.id);
    }
    if (event === 'BLOCK_IO_ERROR' && data.action === 'stop') {
      this.#pauseReason = data.nospace === true ? DISK_FULL : `Its disk failed: ${reasonOf(data)}`;
      this.#listeners.onChange(this.id);
    }
    if (event === 'RESUME' && this.#pauseReason !== undefined) {
      this.#pauseReason = undefined;
      this.#listeners.onChange(this.id);
    }
  }
}

/** A compromised QEMU can send anything. */
function reasonOf({ reason }: QmpEvent['data']): string {
  return typeof reason === 'string' ? excerpt(reason) : 'it gave no reason';
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof QmpError)) throw error;
}

/** `SIGKILL` for 9. */
function signalName(signal: number): string {
  const known = Object.entries(constants.signals).find(([, number]) => number === signal);
  return known?.[0] ?? `signal ${signal}`;
}
