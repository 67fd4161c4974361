import { ApiError } from '../../../contract/errors.js';
import { sleep } from '../../../lib/async/sleep.js';
import type { QemuProcess } from '../machine/qemu-process.js';
import { cancelMigration, capabilities, migrationStatus, UNLIMITED } from './migration.js';

/**
 * QEMU's `downtime-limit` in milliseconds, and the time after which it applies. A guest that changes
 * its memory faster than it is saved is paused a little longer, so that the save does not fail.
 */
const DOWNTIME_LIMITS = [
  { afterMs: 0, limitMs: 120 },
  { afterMs: 15_000, limitMs: 500 },
  { afterMs: 30_000, limitMs: 2_000 },
  { afterMs: 60_000, limitMs: 20_000 },
];
const GIVE_UP_MS = 180_000;
/** Time to save the last part, while the guest is paused: six times the greatest downtime. */
const LAST_PART_MS = 120_000;
const POLL_MS = 5;

/**
 * A migration of a running guest that stops before its last part, while the guest is paused, so that
 * the disk can be switched: pre-copy with the capability `pause-before-switchover`.
 */
export class LiveMigration {
  readonly #qemu: QemuProcess;
  #active = false;

  constructor(qemu: QemuProcess) {
    this.#qemu = qemu;
  }

  /**
   * Under TCG the guest is paused from the beginning: QEMU 7.2 can miss a page that changes during
   * pre-copy, and one in three copies crashed with corrupt kernel memory.
   */
  async begin(
    uri: string,
    acceleration: 'kvm' | 'tcg',
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    const wanted = { 'pause-before-switchover': true, 'x-ignore-shared': false };
    await this.#qemu.execute('migrate-set-capabilities', capabilities(wanted));
    await this.#limitDowntime(DOWNTIME_LIMITS[0]?.limitMs ?? 0);
    this.#active = true;
    if (acceleration === 'tcg') await this.#qemu.execute('stop');
    await this.#qemu.execute('migrate', { uri });
  }

  /** Resolves when the guest is paused before the last part. */
  async untilPaused(signal: AbortSignal | undefined): Promise<void> {
    const begun = performance.now();
    const limits = DOWNTIME_LIMITS.slice(1);
    for (;;) {
      signal?.throwIfAborted();
      if ((await this.#status()) === 'pre-switchover') return;
      const elapsed = performance.now() - begun;
      if (elapsed > GIVE_UP_MS) {
        const message = 'The computer changes its memory faster than it can be copied.';
        throw new ApiError('guest_timeout', message);
      }
      const next = limits[0];
      if (next && elapsed > next.afterMs) {
        limits.shift();
        await this.#limitDowntime(next.limitMs);
      }
      await sleep(POLL_MS);
    }
  }

  /** Saves the last part, then continues the guest. Throws if that takes longer than 120 s. */
  async finish(signal: AbortSignal): Promise<void> {
    await this.#qemu.execute('migrate-continue', { state: 'pre-switchover' });
    const end = performance.now() + LAST_PART_MS;
    while ((await this.#status()) !== 'completed') {
      signal.throwIfAborted();
      if (performance.now() > end) throw lastPartTooSlow();
      await sleep(POLL_MS);
    }
    await this.#qemu.execute('cont');
    this.#active = false;
  }

  /** Cancels the migration unless it has finished, and continues the guest. Never throws. */
  async cancel(): Promise<void> {
    if (!this.#active) return;
    this.#active = false;
    await cancelMigration(this.#qemu).catch(() => undefined);
  }

  async #limitDowntime(limitMs: number): Promise<void> {
    const parameters = { 'max-bandwidth': UNLIMITED, 'downtime-limit': limitMs };
    await this.#qemu.execute('migrate-set-parameters', parameters);
  }

  async #status(): Promise<string> {
    const { status, 'error-desc': reason } = await migrationStatus(this.#qemu);
    if (status === 'failed' || status === 'cancelled') {
      throw new ApiError('internal', `QEMU cannot save the memory: ${String(reason ?? status)}`);
    }
    return String(status);
  }
}

function lastPartTooSlow(): ApiError {
  const message = `QEMU did not save the last part of the memory within ${LAST_PART_MS / 1000} s.`;
  const remedy = "Copy it again when the host's disk is less busy.";
  return new ApiError('internal', message, { remedy });
}
