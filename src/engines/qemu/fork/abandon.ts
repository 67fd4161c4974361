import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../../contract/errors.js';
import { migrationStatus } from '../migration.js';
import type { Qemu } from '../qemu.js';
import { QmpError } from '../qmp/client.js';
import type { AskOptions } from '../qmp/json-peer.js';

const ENDED: ReadonlySet<string> = new Set(['none', 'completed', 'failed', 'cancelled']);
/** Run states of a guest that saving it has brought to a stand. */
export const STANDING: ReadonlySet<string> = new Set(['paused', 'finish-migrate', 'postmigrate']);
const WITHIN_MS = 5_000;
const POLL_MS = 5;

/**
 * Ends whatever save of a machine is under way, also one that a service has left which is gone: no
 * migration is under way any more, and the guest runs unless something else than a save keeps it.
 * Not for a machine that is being restored. Throws when QEMU does not get there.
 */
export async function abandonSave(qemu: Qemu, options: Partial<AskOptions> = {}): Promise<void> {
  let asked = false;
  let refused: unknown;
  for (const end = performance.now() + WITHIN_MS; performance.now() < end; await sleep(POLL_MS)) {
    const { status = 'none' } = await migrationStatus(qemu, options);
    if (!ENDED.has(String(status))) {
      if (!asked) await qemu.execute('migrate_cancel', undefined, options);
      asked = true;
      continue;
    }
    if (!STANDING.has(await qemu.status(options))) return;
    try {
      await qemu.execute('cont', undefined, options);
      return;
    } catch (error) {
      // It says so for a moment after a migration has ended: "not finalized yet".
      if (!(error instanceof QmpError)) throw error;
      refused = error;
    }
  }
  const message = 'The computer stands still for a copy that cannot be ended; stop and start it.';
  throw new ApiError('guest_failed', message, { cause: refused });
}
