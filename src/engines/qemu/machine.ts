import { constants } from 'node:os';
import { ApiError } from '../../contract/errors.js';
import type { Channel, MachineState } from '../engine.js';
import { abandonSave } from './fork/abandon.js';
import {
  currentBootId,
  lastWords,
  prepareDirectory,
  processIs,
  readRecord,
} from './process/index.js';
import { type Place, Qemu } from './qemu.js';
import type { QmpEvent } from './qmp/client.js';
import { type MachineRecord, readMachine, writeMachine } from './record.js';

/** `SIGKILL` for 9. */
function signalName(signal: number): string {
  const known = Object.entries(constants.signals).find(([, number]) => number === signal);
  return known?.[0] ?? `signal ${signal}`;
}

/** One that hangs shall not keep the others waiting. */
const ADOPT_MS = 2_000;

const FULL =
  'The host has no room left for its disk, so it is paused; make room, then start it again.';

export interface MachineListeners {
  /** Its state may be another one. */
  onChange(id: string): void;
  /** The guest restarted by itself and has to be told again who it is. */
  onReset(id: string): void;
  /** The guest's end of a stream was closed. */
  onHangUp(id: string, channel: Channel): void;
}

/** One machine's directory, its record, and its QEMU if one runs. */
export class QemuMachine {
  readonly id: string;
  readonly directory: string;
  readonly #listeners: MachineListeners;
  #record: MachineRecord | undefined;
  #qemu: Qemu | undefined;
  /** Why a guest that has a process does not run. */
  #trouble: string | undefined;
  #place: Place | undefined;
  /** Why its record could not be read. */
  #damage: string | undefined;

  constructor(id: string, directory: string, listeners: MachineListeners) {
    this.id = id;
    this.directory = directory;
    this.#listeners = listeners;
  }

  /** Undefined until it was made to the end. */
  get record(): MachineRecord | undefined {
    return this.#record;
  }

  /** The QEMU that runs it, if one does. */
  get qemu(): Qemu | undefined {
    return this.#qemu?.alive ? this.#qemu : undefined;
  }

  /** What keeps a running QEMU from running the guest. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Its directory, which is made if need be, and its account. */
  async place(): Promise<Place> {
    this.#place ??= { directory: this.directory, account: await prepareDirectory(this.directory) };
    return this.#place;
  }

  /** Reads what is on disk and takes over the QEMU that an earlier service left running. */
  async load(): Promise<void> {
    this.#damage = undefined;
    this.#record = await readMachine(this.directory).catch((error) => {
      const words = error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
      this.#damage = `Its record machine.json cannot be read: ${words.slice(0, 200)}`;
      return undefined;
    });
    const last = await readRecord(this.directory);
    const identity = last?.identity ?? this.#record?.process;
    if (!identity || last?.ended || !(await processIs(identity))) return;
    const qemu = Qemu.adopt(await this.place(), identity);
    this.attach(qemu);
    await this.#recover(qemu).catch(() => undefined);
  }

  /** An earlier service may have ended in the middle of a copy, for which the guest stands still. */
  async #recover(qemu: Qemu): Promise<void> {
    const call = { timeoutMs: ADOPT_MS };
    const status = await qemu.status(call);
    if (status === 'io-error') this.#trouble = FULL;
    // One that was not used yet may be in the middle of being restored.
    else if (this.#record?.used) await abandonSave(qemu, call);
    const top = this.#record?.layers.at(-1);
    // What nothing was written to is let go of: others may read it. QEMU keeps what is in use.
    if (top) await qemu.execute('blockdev-del', { 'node-name': top }, call);
  }

  /** Throws when there is a record that nobody can read: nothing but removing it helps. */
  assertReadable(): void {
    if (this.#damage !== undefined) throw new ApiError('internal', this.#damage);
  }

  /** Forgets its directory, which is gone. */
  forget(): void {
    this.#damage = undefined;
    this.#qemu?.release();
    this.#qemu = undefined;
    this.#record = undefined;
    this.#place = undefined;
  }

  /** Lasting once it resolves. */
  async write(change: Partial<MachineRecord>): Promise<MachineRecord> {
    if (this.#record === undefined) throw new Error(`machine ${this.id} has no record`);
    return this.writeNew({ ...this.#record, ...change });
  }

  async writeNew(record: MachineRecord): Promise<MachineRecord> {
    await writeMachine(this.directory, record);
    this.#record = record;
    return record;
  }

  /** From now on `qemu` is what runs it. */
  attach(qemu: Qemu): void {
    this.#qemu = qemu;
    this.#trouble = undefined;
    qemu.onEvent((event) => this.#take(event));
    qemu.ended.then(() => {
      qemu.release();
      if (this.#qemu === qemu) this.#listeners.onChange(this.id);
    });
  }

  /** What it is now, as far as is known. */
  get state(): MachineState {
    const reason = this.#damage ?? (this.qemu ? this.#trouble : this.#record?.failure);
    if (reason) return { id: this.id, status: 'error', reason };
    // What waits in there is nobody's until it has been told who it is.
    if (this.#record?.resume === 'spare') return { id: this.id, status: 'stopped' };
    return { id: this.id, status: this.qemu ? 'running' : 'stopped' };
  }

  /**
   * Finds out how a process ended that nobody ended, and writes it down. Not to be called while the
   * machine is being started or stopped.
   */
  async judge(): Promise<void> {
    const { record } = this;
    if (this.qemu || record?.intended !== 'running' || record.process === null) return;
    const failure = await this.#howItEnded();
    await this.note({ intended: 'stopped', process: null, failure });
  }

  /** Like {@link write}, but true for this service even where nothing can be written any more. */
  async note(change: Partial<MachineRecord>): Promise<void> {
    if (this.#record === undefined) return;
    this.#record = { ...this.#record, ...change };
    await writeMachine(this.directory, this.#record).catch(() => undefined);
  }

  /** Null when the guest powered itself off or the host went down under it. */
  async #howItEnded(): Promise<string | null> {
    const last = await readRecord(this.directory);
    const identity = last?.identity ?? this.#record?.process;
    if (identity?.bootId !== (await currentBootId())) return null;
    const ended = last?.ended ?? { kind: 'unknown' as const };
    if (ended.kind === 'exited' && ended.status === 0) return null;
    const words = (await lastWords(this.directory)).slice(0, 500);
    if (ended.kind === 'killed') {
      const name = signalName(ended.signal);
      return `Its QEMU was killed (${name}); it last said: ${words}`;
    }
    return `Its QEMU ended: ${words}`;
  }

  #take({ event, data }: QmpEvent): void {
    if (event === 'RESET' && data.guest === true) this.#listeners.onReset(this.id);
    if (event === 'VSERPORT_CHANGE' && data.open === false) {
      if (data.id === 'screen' || data.id === 'shell') this.#listeners.onHangUp(this.id, data.id);
    }
    if (event === 'BLOCK_IO_ERROR' && data.action === 'stop') {
      this.#trouble = data.nospace === true ? FULL : `Its disk failed: ${String(data.reason)}`;
      this.#listeners.onChange(this.id);
    }
    if (event === 'RESUME' && this.#trouble !== undefined) {
      this.#trouble = undefined;
      this.#listeners.onChange(this.id);
    }
  }
}
