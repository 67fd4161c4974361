import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../../contract/errors.js';
import { capabilities, migrationStatus, UNLIMITED } from '../migration.js';
import type { Qemu } from '../qemu.js';
import { abandonSave } from './abandon.js';

/**
 * How long the guest may stand still, in milliseconds, and from when on. A guest that changes its
 * memory faster than it is written stands still a little longer rather than not being copied.
 */
const PAUSES = [
  { afterMs: 0, pauseMs: 120 },
  { afterMs: 15_000, pauseMs: 500 },
  { afterMs: 30_000, pauseMs: 2_000 },
  { afterMs: 60_000, pauseMs: 20_000 },
];
const GIVE_UP_MS = 180_000;
const POLL_MS = 5;

/**
 * A migration that stops just before its last part, so that something can be done while the guest
 * stands still: pre-copy, where that can be relied on, with the capability `pause-before-switchover`.
 */
export class Switchover {
  readonly #qemu: Qemu;
  #begun = false;

  constructor(qemu: Qemu) {
    this.#qemu = qemu;
  }

  /**
   * An emulated guest stands still from the beginning: while it runs, QEMU 7.2 can miss a change of
   * its memory, and a copy of it dies (seen in one of three copies, a kernel with torn lists).
   */
  async begin(
    uri: string,
    acceleration: 'kvm' | 'tcg',
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    const wanted = { 'pause-before-switchover': true, 'x-ignore-shared': false };
    await this.#qemu.execute('migrate-set-capabilities', capabilities(wanted));
    await this.#limit(PAUSES[0]?.pauseMs ?? 0);
    this.#begun = true;
    if (acceleration === 'tcg') await this.#qemu.execute('stop');
    await this.#qemu.execute('migrate', { uri });
  }

  /** Resolves when the guest stands still and its disk may be changed. */
  async paused(signal: AbortSignal | undefined): Promise<void> {
    const begun = performance.now();
    const longer = PAUSES.slice(1);
    for (;;) {
      signal?.throwIfAborted();
      if ((await this.#status()) === 'pre-switchover') return;
      const spent = performance.now() - begun;
      if (spent > GIVE_UP_MS) {
        const message = 'The computer changes its memory faster than it can be copied.';
        throw new ApiError('guest_timeout', message);
      }
      const next = longer[0];
      if (next && spent > next.afterMs) {
        longer.shift();
        await this.#limit(next.pauseMs);
      }
      await sleep(POLL_MS);
    }
  }

  /** Saves the rest; then the guest goes on. */
  async finish(): Promise<void> {
    await this.#qemu.execute('migrate-continue', { state: 'pre-switchover' });
    while ((await this.#status()) !== 'completed') await sleep(POLL_MS);
    await this.#qemu.execute('cont');
    this.#begun = false;
  }

  /** Whatever has happened: no migration is under way any more, and the guest runs. */
  async goOn(): Promise<void> {
    if (!this.#begun) return;
    this.#begun = false;
    await abandonSave(this.#qemu).catch(() => undefined);
  }

  async #limit(pauseMs: number): Promise<void> {
    const limits = { 'max-bandwidth': UNLIMITED, 'downtime-limit': pauseMs };
    await this.#qemu.execute('migrate-set-parameters', limits);
  }

  async #status(): Promise<string> {
    const { status, 'error-desc': words } = await migrationStatus(this.#qemu);
    if (status === 'failed' || status === 'cancelled') {
      const message = `QEMU could not save the memory: ${String(words ?? status)}`;
      throw new ApiError('internal', message);
    }
    return String(status);
  }
}
