import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../../lib/text/error-message.js';
import type { MachineSpec } from '../../engine.js';
import { finishRemovals, names, removeDirectory } from '../disk/files.js';
import { availableMemory } from '../host.js';
import { uniqueName } from '../ids.js';
import type { QemuMachine } from '../machine/qemu-machine.js';
import { removeBuild } from '../snapshots/templates/build.js';
import { claimWarmMachine } from './claim.js';
import { createWarmMachine, type WarmMachineParts } from './warm-machine.js';

export interface WarmPoolOptions extends WarmMachineParts {
  /** How many machines are kept, one of each shape that was started last. 0: none. */
  readonly size: number;
  onProblem(message: string): void;
}

/** Fill the pool only when no machine was created or started for this long. */
const IDLE_MS = 3_000;
/** Bytes of host memory that must stay available when a warm machine uses all of its own. */
const RESERVE = 2 * 2 ** 30;

/**
 * Machines that are resumed from a template in advance, warmed up and paused. Creating a machine of
 * the same shape and owner claims one; starting that only continues it and configures its guest.
 *
 * Most of the time to resume, above all with TCG, goes into code that QEMU has not translated and
 * pages that it has not loaded yet. The warm-up pays for that in advance. A warm machine uses no
 * processor time, only the memory it has touched. It has one owner, as the template's memory has,
 * and ends with the service or when the next one starts.
 */
export class WarmPool {
  readonly #options: WarmPoolOptions;
  readonly #closing = new AbortController();
  /** By {@link WarmPool.#keyOf}, the oldest first. */
  readonly #ready = new Map<string, QemuMachine>();
  /** Specs to fill the pool for, by owner and shape. */
  readonly #requests = new Map<string, MachineSpec>();
  /** Owners that were deleted: their machines may still be being created. */
  readonly #forgotten = new Set<string>();
  #filling: Promise<void> | undefined;
  /** When a machine was last created or started, as performance.now(). */
  #busyAt = 0;

  constructor(options: WarmPoolOptions) {
    this.#options = options;
  }

  /** Turns a warm machine into `machine`, if there is one for `spec`. Never throws. */
  async claim(machine: QemuMachine, spec: MachineSpec): Promise<boolean> {
    this.#busyAt = performance.now();
    if (this.#ready.size === 0) return false;
    const key = await this.#keyOf(spec);
    const warm = key === undefined ? undefined : this.#ready.get(key);
    if (key === undefined || warm === undefined) {
      if (await isShortOfMemory(spec)) await this.#removeOldest();
      return false;
    }
    this.#ready.delete(key);
    try {
      await claimWarmMachine(warm, machine, spec);
      return true;
    } catch (error) {
      this.#report('cannot be used', error);
      await this.#remove(warm);
      return false;
    }
  }

  /** Requests a warm machine like `spec`, which was just started. */
  replenish(spec: MachineSpec): void {
    if (this.#options.size === 0 || this.#closing.signal.aborted) return;
    this.#busyAt = performance.now();
    const { ownerId, os, image, cpu, ram, resolution } = spec;
    if (this.#forgotten.has(ownerId)) return;
    this.#requests.set(JSON.stringify([ownerId, os, image, cpu, ram, resolution]), spec);
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined;
    });
  }

  /** Removes the owner's warm machines; no more are created. */
  async forgetOwner(ownerId: string): Promise<void> {
    this.#forgotten.add(ownerId);
    for (const [request, spec] of this.#requests) {
      if (spec.ownerId === ownerId) this.#requests.delete(request);
    }
    for (const [key, warm] of this.#ready) {
      if (warm.record?.spec.ownerId !== ownerId) continue;
      this.#ready.delete(key);
      await this.#remove(warm);
    }
  }

  /** Removes what an earlier service left. Only the service that owns the pool may. Never throws. */
  async removeAbandoned(): Promise<void> {
    const { pool } = this.#options.host.layout;
    const report = (error: unknown) => this.#report('left by an earlier service stays', error);
    await finishRemovals(pool).catch(report);
    for (const name of await names(pool).catch(() => [])) {
      await removeBuild(join(pool, name)).catch(report);
    }
  }

  /** Removes all warm machines. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#filling;
    const ready = [...this.#ready.values()];
    this.#ready.clear();
    await Promise.all(ready.map((warm) => this.#remove(warm)));
  }

  async #fill(): Promise<void> {
    const { signal } = this.#closing;
    while (this.#requests.size > 0 && !signal.aborted) {
      do {
        await sleep(IDLE_MS, undefined, { signal, ref: false }).catch(() => undefined);
      } while (!signal.aborted && performance.now() - this.#busyAt < IDLE_MS);
      const [next] = this.#requests;
      if (signal.aborted || next === undefined) return;
      this.#requests.delete(next[0]);
      await this.#add(next[1]).catch((error) => {
        if (!signal.aborted) this.#report('cannot be created', error);
      });
    }
  }

  async #add(spec: MachineSpec): Promise<void> {
    const { signal } = this.#closing;
    const key = await this.#keyOf(spec);
    if (key === undefined || this.#ready.has(key)) return;
    if (await isShortOfMemory(spec)) return;
    while (this.#ready.size >= this.#options.size) await this.#removeOldest();
    const warm = await createWarmMachine(`warm_${uniqueName()}`, spec, this.#options, signal);
    if (signal.aborted || this.#forgotten.has(spec.ownerId)) return this.#remove(warm);
    this.#ready.set(key, warm);
    warm.qemu?.exited.then(async () => {
      if (this.#ready.get(key) !== warm) return;
      this.#ready.delete(key);
      await this.#remove(warm);
    });
  }

  async #removeOldest(): Promise<void> {
    for (const [key, warm] of this.#ready) {
      this.#ready.delete(key);
      return this.#remove(warm);
    }
  }

  async #remove(warm: QemuMachine): Promise<void> {
    try {
      await warm.qemu?.end(0);
      await removeDirectory(warm.directory);
    } catch (error) {
      this.#report('cannot be removed', error);
    }
  }

  /** Identifies the warm machines that can become `spec`; undefined without a template. */
  async #keyOf(spec: MachineSpec): Promise<string | undefined> {
    const key = await this.#options.templates.keyOf(spec).catch(() => undefined);
    return key && JSON.stringify([spec.ownerId, spec.os, key]);
  }

  #report(what: string, error: unknown): void {
    this.#options.onProblem(`A warm machine ${what}: ${errorMessage(error)}`);
  }
}

/** True if the host has too little memory for one more machine like this. */
async function isShortOfMemory({ ram }: MachineSpec): Promise<boolean> {
  return (await availableMemory()) < ram * 2 ** 30 + RESERVE;
}
