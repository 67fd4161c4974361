import { ApiError } from '../../../contract/errors.js';
import { sleep } from '../../../lib/async/sleep.js';
import type { QemuProcess } from '../machine/qemu-process.js';
import { QmpError } from '../monitor/client.js';
import type { RequestOptions } from '../monitor/json-peer.js';
import { releasingDevices } from './fork/device-state.js';
import { migrationStatus } from './migration.js';

const ENDED: ReadonlySet<string> = new Set(['none', 'completed', 'failed', 'cancelled']);
/** Run states of a guest that a migration has paused. */
export const PAUSED_STATES: ReadonlySet<string> = new Set([
  'paused',
  'finish-migrate',
  'postmigrate',
]);
/** On a busy host an emulated guest's QEMU may take seconds to finish. */
const WITHIN_MS = 30_000;
const POLL_MS = 5;

/**
 * Cancels an outgoing migration or a copy, also one that an earlier service started, and continues
 * the guest unless something else has paused it. Must not be called while a machine resumes: that is an
 * incoming migration. Throws if QEMU does not cancel in time.
 */
export async function cancelMigration(
  qemu: QemuProcess,
  options: Partial<RequestOptions> = {},
  withinMs = WITHIN_MS,
): Promise<void> {
  const { directory } = qemu.workspace;
  await releasingDevices(directory, () => cancelAndContinue(qemu, options, withinMs));
}

async function cancelAndContinue(
  qemu: QemuProcess,
  options: Partial<RequestOptions>,
  withinMs: number,
): Promise<void> {
  let requested = false;
  let lastError: unknown;
  for (const end = performance.now() + withinMs; performance.now() < end; await sleep(POLL_MS)) {
    const { status = 'none' } = await migrationStatus(qemu, options);
    if (!ENDED.has(String(status))) {
      if (!requested) await qemu.execute('migrate_cancel', undefined, options);
      requested = true;
      continue;
    }
    if (!PAUSED_STATES.has(await qemu.status(options))) return;
    try {
      await qemu.execute('cont', undefined, options);
      return;
    } catch (error) {
      // Just after a migration QEMU rejects `cont`: "not finalized yet".
      if (!(error instanceof QmpError)) throw error;
      lastError = error;
    }
  }
  const message = 'The computer is paused by a copy that cannot be cancelled; stop and start it.';
  throw new ApiError('guest_failed', message, { cause: lastError });
}
