import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MachineSpec } from '../../engine.js';
import { finishRemovals, names, removeDirectory } from '../files.js';
import { spareMemory } from '../host.js';
import { uniqueName } from '../ids.js';
import type { QemuMachine } from '../machine.js';
import { discardBuild } from '../templates/build.js';
import { handOver } from './hand-over.js';
import { prepareSpare, type SpareParts } from './prepare.js';

export type { Rehearsal } from './prepare.js';

export interface SparesOptions extends SpareParts {
  /** How many are kept: one of each shape that was started last. 0: none. */
  readonly most: number;
  onProblem(message: string): void;
}

/** Computers that somebody waits for come first: none was asked for or started for so long. */
const PATIENCE_MS = 3_000;
/** Memory in bytes that must remain to the host after a spare has taken all of its own. */
const RESERVE = 2 * 2 ** 30;

/**
 * Machines that were started from a template before anybody asked for them, and stand still: who
 * creates one of the same shape is given it, and it only has to be told who it is.
 *
 * What a resumed machine takes its time for, above all when it is emulated, is code that QEMU has
 * not translated yet; a spare has done once what every machine is asked for first. It takes no
 * processor time, and the memory that it has touched. It belongs to one owner, like the memory
 * that it came from, and to the service: it ends with it, or is ended by the next.
 */
export class Spares {
  readonly #options: SparesOptions;
  readonly #closing = new AbortController();
  /** By what they are for, the oldest first. */
  readonly #ready = new Map<string, QemuMachine>();
  readonly #wanted = new Map<string, MachineSpec>();
  #making: Promise<void> | undefined;
  /** When a machine was last asked for or started, as performance.now(). */
  #busyAt = 0;

  constructor(options: SparesOptions) {
    this.#options = options;
  }

  /** True when `machine` now is a spare that waits to be told that it is `spec`. Never throws. */
  async take(machine: QemuMachine, spec: MachineSpec): Promise<boolean> {
    this.#busyAt = performance.now();
    if (this.#ready.size === 0) return false;
    const name = await this.#nameOf(spec);
    const spare = name === undefined ? undefined : this.#ready.get(name);
    if (name === undefined || spare === undefined) {
      if (await isShort(spec)) await this.#dropOldest();
      return false;
    }
    this.#ready.delete(name);
    try {
      await handOver(spare, machine, spec);
      return true;
    } catch (error) {
      this.#complain('could not be used', error);
      await this.#discard(spare);
      return false;
    }
  }

  /** Somebody has started a machine like this: the next one shall find a spare. */
  wanted(spec: MachineSpec): void {
    const { most } = this.#options;
    if (most === 0 || this.#closing.signal.aborted) return;
    this.#busyAt = performance.now();
    const { ownerId, os, image, cpu, ram, resolution } = spec;
    this.#wanted.set(JSON.stringify([ownerId, os, image, cpu, ram, resolution]), spec);
    this.#making ??= this.#makeAll().finally(() => {
      this.#making = undefined;
    });
  }

  /** Ends what an earlier service has left. Only for who serves machines. Never throws. */
  async discardAbandoned(): Promise<void> {
    const { layout } = this.#options.host;
    const left = 'of an earlier service could not be removed';
    await finishRemovals(layout.spares).catch((error) => this.#complain(left, error));
    for (const name of await names(layout.spares).catch(() => [])) {
      await discardBuild(join(layout.spares, name)).catch((error) => this.#complain(left, error));
    }
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#making;
    const last = [...this.#ready.values()];
    this.#ready.clear();
    await Promise.all(last.map((spare) => this.#discard(spare)));
  }

  async #makeAll(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#wanted.size > 0 && !signal.aborted) {
      do {
        await sleep(PATIENCE_MS, undefined, { signal, ref: false }).catch(() => undefined);
      } while (!signal.aborted && performance.now() - this.#busyAt < PATIENCE_MS);
      const [next] = this.#wanted;
      if (signal.aborted || next === undefined) return;
      this.#wanted.delete(next[0]);
      await this.#make(next[1]).catch((error) => {
        if (!signal.aborted) this.#complain('could not be made', error);
      });
    }
  }

  async #make(spec: MachineSpec): Promise<void> {
    const { signal } = this.#closing;
    const name = await this.#nameOf(spec);
    if (name === undefined || this.#ready.has(name)) return;
    if (await isShort(spec)) return;
    while (this.#ready.size >= this.#options.most) await this.#dropOldest();
    const id = `spare_${uniqueName()}`;
    const spare = await prepareSpare(id, spec, this.#options, signal);
    if (signal.aborted) return this.#discard(spare);
    this.#ready.set(name, spare);
    // One that ends by itself leaves nothing behind.
    spare.qemu?.ended.then(async () => {
      if (this.#ready.get(name) !== spare) return;
      this.#ready.delete(name);
      await this.#discard(spare);
    });
  }

  async #dropOldest(): Promise<void> {
    for (const [name, spare] of this.#ready) {
      this.#ready.delete(name);
      return this.#discard(spare);
    }
  }

  async #discard(spare: QemuMachine): Promise<void> {
    try {
      await spare.qemu?.end(0);
      await removeDirectory(spare.directory);
    } catch (error) {
      this.#complain('could not be removed', error);
    }
  }

  /** What a spare must be to serve as that machine; undefined where there is no template of it. */
  async #nameOf(spec: MachineSpec): Promise<string | undefined> {
    const key = await this.#options.templates.keyOf(spec).catch(() => undefined);
    return key && JSON.stringify([spec.ownerId, spec.os, key]);
  }

  #complain(what: string, error: unknown): void {
    const words = error instanceof Error ? error.message : String(error);
    this.#options.onProblem(`A spare machine ${what}: ${words}`);
  }
}

/** The host has too little memory for one more machine like this, should it use all of its own. */
async function isShort({ ram }: MachineSpec): Promise<boolean> {
  return (await spareMemory()) < ram * 2 ** 30 + RESERVE;
}
