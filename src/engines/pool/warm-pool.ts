import { setTimeout as sleep } from 'node:timers/promises';
import { withAnySignal } from '../../lib/async/abort.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { availableMemory } from './memory.js';
import type { NewMachine } from './reserving.js';

/** Makes and removes the warm machines `W` of an engine, from specifications `S`. */
export interface WarmMachines<S extends NewMachine, W> {
  /** Identifies the warm machines that can become `spec`; undefined: there can be none. */
  keyOf(spec: S): Promise<string | undefined>;
  create(spec: S, signal: AbortSignal): Promise<W>;
  remove(warm: W): Promise<void>;
  /** Resolves when it has ended by itself; undefined if that is not known. */
  ended(warm: W): Promise<unknown> | undefined;
}

export interface WarmPoolOptions<S extends NewMachine, W> {
  /** How many machines are kept, one of each shape that was started last. 0: none. */
  readonly size: number;
  readonly machines: WarmMachines<S, W>;
  /** Fill the pool only when no machine was created or started for this long; 3,000 ms by default. */
  readonly idleMs?: number;
  onProblem(message: string): void;
}

interface WarmRequest<S> {
  readonly spec: S;
  /** Attempts that failed. */
  readonly failures: number;
}

interface ReadyMachine<W> {
  readonly warm: W;
  readonly ownerId: string;
  /** The saved disk that it was made from. */
  readonly disk: string | undefined;
  /** See {@link shapeOf}. */
  readonly shape: string;
}

const IDLE_MS = 3_000;
/** Attempts per request: on a busy host one can fail. The delay doubles each time. */
const MOST_ATTEMPTS = 3;
/** Bytes of host memory that must stay available if a warm machine uses all of its memory. */
const RESERVE = 2 * 2 ** 30;

/**
 * Decides which machines are started in advance and paused, and when. A warm machine uses no
 * processor time and only the memory it has touched. It belongs to one owner, and is removed when the
 * service ends or the next one starts.
 */
export class WarmPool<S extends NewMachine, W> {
  readonly #options: WarmPoolOptions<S, W>;
  readonly #closing = new AbortController();
  /** By {@link WarmMachines.keyOf}, the oldest first. */
  readonly #ready = new Map<string, ReadyMachine<W>>();
  /** The last shapes that were started, by owner and shape, the oldest first. */
  readonly #requests = new Map<string, WarmRequest<S>>();
  /** Owners that were deleted: their machines may still be being created. */
  readonly #forgotten = new Set<string>();
  /** Saved disks that were removed, likewise. */
  readonly #forgottenDisks = new Set<string>();
  #filling: Promise<void> | undefined;
  /** When a machine was last created or started, as performance.now(). */
  #busyAt = 0;

  constructor(options: WarmPoolOptions<S, W>) {
    this.#options = options;
  }

  /** Takes a warm machine that can become `spec` out of the pool. Never throws. */
  async take(spec: S): Promise<W | undefined> {
    this.#busyAt = performance.now();
    if (this.#ready.size === 0) return undefined;
    const key = await this.#keyOf(spec);
    const entry = key === undefined ? undefined : this.#ready.get(key);
    if (key === undefined || entry === undefined) {
      if (await isShortOfMemory(spec)) await this.#removeOldest();
      return undefined;
    }
    this.#ready.delete(key);
    return entry.warm;
  }

  /** Removes a machine that {@link take} returned and that could not be used. */
  async discard(warm: W, error: unknown): Promise<void> {
    this.#report('cannot be used', error);
    await this.#remove(warm);
  }

  /** Requests a warm machine like `spec`, which was just started. */
  replenish(spec: S): void {
    if (this.#options.size === 0 || this.#closing.signal.aborted) return;
    this.#busyAt = performance.now();
    if (this.#isForgotten(spec)) return;
    const key = requestKey(spec);
    this.#requests.delete(key);
    this.#requests.set(key, { spec, failures: 0 });
    const [oldest] = this.#requests.keys();
    if (oldest !== undefined && this.#requests.size > this.#options.size)
      this.#requests.delete(oldest);
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined;
    });
  }

  /** Removes the owner's warm machines; no more are created. */
  async forgetOwner(ownerId: string): Promise<void> {
    this.#forgotten.add(ownerId);
    await this.#forget((machine) => machine.ownerId === ownerId);
  }

  /** Removes warm machines made from a saved disk; no more are created. */
  async forgetDisk(id: string): Promise<void> {
    this.#forgottenDisks.add(id);
    await this.#forget(({ disk }) => disk === id);
  }

  async #forget(
    isMeant: (machine: Pick<ReadyMachine<W>, 'ownerId' | 'disk'>) => boolean,
  ): Promise<void> {
    for (const [key, { spec }] of this.#requests) {
      if (isMeant({ ownerId: spec.ownerId, disk: spec.from?.id })) this.#requests.delete(key);
    }
    for (const [key, entry] of this.#ready) {
      if (!isMeant(entry)) continue;
      this.#ready.delete(key);
      await this.#remove(entry.warm);
    }
  }

  #isForgotten({ ownerId, from }: S): boolean {
    return (
      this.#forgotten.has(ownerId) || (from !== undefined && this.#forgottenDisks.has(from.id))
    );
  }

  /** Removes all warm machines; no more are created. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#filling;
    await this.clear();
  }

  /** Removes the warm machines that are ready. Never throws. */
  async clear(): Promise<void> {
    const ready = [...this.#ready.values()];
    this.#ready.clear();
    await Promise.all(ready.map(({ warm }) => this.#remove(warm)));
  }

  async #fill(): Promise<void> {
    const { signal } = this.#closing;
    const { idleMs = IDLE_MS } = this.#options;
    while (this.#requests.size > 0 && !signal.aborted) {
      do {
        await sleep(idleMs, undefined, { signal, ref: false }).catch(() => undefined);
      } while (!signal.aborted && performance.now() - this.#busyAt < idleMs);
      if (signal.aborted) return;
      const [next] = this.#requests;
      if (next === undefined) return;
      const [key, request] = next;
      this.#requests.delete(key);
      try {
        await this.#add(request.spec);
      } catch (error) {
        if (signal.aborted) return;
        this.#report('cannot be created', error);
        this.#tryAgain(key, request);
      }
    }
  }

  /** Puts a failed request back, unless it has failed too often or there are newer ones. */
  #tryAgain(key: string, { spec, failures: before }: WarmRequest<S>): void {
    const { size, idleMs = IDLE_MS } = this.#options;
    const failures = before + 1;
    if (failures === MOST_ATTEMPTS || this.#isForgotten(spec)) return;
    this.#busyAt = performance.now() + idleMs * (2 ** failures - 1);
    if (!this.#requests.has(key) && this.#requests.size < size) {
      this.#requests.set(key, { spec, failures });
    }
  }

  async #add(spec: S): Promise<void> {
    const { signal } = this.#closing;
    const { ownerId } = spec;
    const shape = shapeOf(spec);
    const key = await this.#keyOf(spec);
    if (key === undefined || this.#ready.has(key)) return;
    await this.#removeOutdated(ownerId, shape);
    if (await isShortOfMemory(spec)) return;
    while (this.#ready.size >= this.#options.size) await this.#removeOldest();
    const warm = await withAnySignal([signal], (own) => this.#options.machines.create(spec, own));
    if (signal.aborted || this.#isForgotten(spec)) return this.#remove(warm);
    this.#ready.set(key, { warm, ownerId, disk: spec.from?.id, shape });
    this.#options.machines.ended(warm)?.then(async () => {
      if (this.#ready.get(key)?.warm !== warm) return;
      this.#ready.delete(key);
      await this.#remove(warm);
    });
  }

  /** Removes machines of this shape under another key: their image was rebuilt since. */
  async #removeOutdated(ownerId: string, shape: string): Promise<void> {
    for (const [key, entry] of this.#ready) {
      if (entry.ownerId !== ownerId || entry.shape !== shape) continue;
      this.#ready.delete(key);
      await this.#remove(entry.warm);
    }
  }

  async #removeOldest(): Promise<void> {
    for (const [key, { warm }] of this.#ready) {
      this.#ready.delete(key);
      return this.#remove(warm);
    }
  }

  async #remove(warm: W): Promise<void> {
    try {
      await this.#options.machines.remove(warm);
    } catch (error) {
      this.#report('cannot be removed', error);
    }
  }

  async #keyOf(spec: S): Promise<string | undefined> {
    const key = await this.#options.machines.keyOf(spec).catch(() => undefined);
    return key && JSON.stringify([spec.ownerId, spec.os, key]);
  }

  #report(what: string, error: unknown): void {
    this.#options.onProblem(`A warm machine ${what}: ${errorMessage(error)}`);
  }
}

function requestKey(spec: NewMachine): string {
  return JSON.stringify([spec.ownerId, shapeOf(spec)]);
}

function shapeOf({ os, image, from, cpu, ram, resolution, sudo = true }: NewMachine): string {
  return JSON.stringify([os, image, from?.id, cpu, ram, resolution, sudo]);
}

/** True if the host has too little memory for one more machine like this. */
async function isShortOfMemory({ ram }: NewMachine): Promise<boolean> {
  return (await availableMemory()) < ram * 2 ** 30 + RESERVE;
}
