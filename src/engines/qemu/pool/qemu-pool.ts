import { join } from 'node:path';
import { errorMessage } from '../../../lib/text/error-message.js';
import type { MachineSpec } from '../../engine.js';
import { WarmPool } from '../../pool/warm-pool.js';
import { finishRemovals, names, removeDirectory } from '../disk/files.js';
import { uniqueName } from '../ids.js';
import type { QemuMachine } from '../machine/qemu-machine.js';
import { removeBuild } from '../snapshots/templates/build.js';
import { claimWarmMachine, createWarmMachine, type WarmMachineParts } from './warm-machine.js';

export interface QemuPoolOptions extends WarmMachineParts {
  /** How many machines are kept. */
  readonly size: number;
  onProblem(message: string): void;
}

/**
 * Machines that are resumed from a template in advance, warmed up and paused. Creating a machine of
 * the same shape and owner claims one; starting that only continues it and configures its guest.
 *
 * Most of the time to resume, especially with TCG, is spent on translating code and loading pages.
 * The warm-up does that in advance. Like a copy of a template's memory, a warm machine has one owner.
 */
export class QemuPool {
  readonly #options: QemuPoolOptions;
  readonly #pool: WarmPool<MachineSpec, QemuMachine>;

  constructor(options: QemuPoolOptions) {
    this.#options = options;
    const { size, templates, onProblem } = options;
    this.#pool = new WarmPool({
      size,
      onProblem,
      machines: {
        // Undefined without a template.
        keyOf: (spec) => templates.keyOf(spec),
        create: (spec, signal) => createWarmMachine(`warm_${uniqueName()}`, spec, options, signal),
        remove: async (warm) => {
          await warm.qemu?.end(0);
          await removeDirectory(warm.directory);
        },
        ended: (warm) => warm.qemu?.exited,
      },
    });
  }

  /** Turns a warm machine into `machine`, if there is one for `spec`. Never throws. */
  async claim(machine: QemuMachine, spec: MachineSpec): Promise<boolean> {
    const warm = await this.#pool.take(spec);
    if (warm === undefined) return false;
    try {
      await claimWarmMachine(warm, machine, spec);
      return true;
    } catch (error) {
      await this.#pool.discard(warm, error);
      return false;
    }
  }

  /** Requests a warm machine like `spec`, which was just started. */
  replenish(spec: MachineSpec): void {
    this.#pool.replenish(spec);
  }

  forgetOwner(ownerId: string): Promise<void> {
    return this.#pool.forgetOwner(ownerId);
  }

  /** Removes what an earlier service left. Only the service that owns the pool may. Never throws. */
  async removeAbandoned(): Promise<void> {
    const { pool } = this.#options.host.layout;
    const report = (error: unknown) =>
      this.#options.onProblem(
        `A warm machine left by an earlier service stays: ${errorMessage(error)}`,
      );
    await finishRemovals(pool).catch(report);
    for (const name of await names(pool).catch(() => [])) {
      await removeBuild(join(pool, name)).catch(report);
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
