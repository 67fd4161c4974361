import type { Log } from '../../lib/log.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { Store } from '../store/index.js';
import { actOfService } from './act-of-service.js';
import type { Machines } from './machines.js';

const CHECK_EVERY_MS = 15_000;
/** The wall clock was set, or the host slept, if it and the monotonic clock differ by more. */
const LEAP_MS = 60_000;
/** Time in which a wrong clock can be corrected before anything is deleted. */
const GRACE_MS = 3_600_000;

/**
 * Deletes computers at their `expires_at`. One whose time passed while the service did not run, or by a
 * leap of the clock, is deleted after an hour in which the clock did not leap.
 */
export function deleteExpired(parts: {
  readonly store: Store;
  readonly machines: Machines;
  readonly auditLog: AuditLog;
  readonly log: Log;
}): { stop(): void } {
  const { store, machines, auditLog, log } = parts;
  const clocks = () => ({ wall: Date.now(), monotonic: performance.now() });
  let last = clocks();
  /** The start of the service, or the last leap. */
  let leap = last;
  const check = () => {
    const now = clocks();
    const passed = now.monotonic - last.monotonic;
    if (Math.abs(now.wall - last.wall - passed) > LEAP_MS) leap = now;
    last = now;
    const isUncertain = now.monotonic - leap.monotonic < GRACE_MS;
    for (const record of store.computers.listAll()) {
      if (record.expires_at === null || record.protected === 1 || record.status === 'deleting') {
        continue;
      }
      const at = Date.parse(record.expires_at);
      if (at > now.wall || (isUncertain && at <= leap.wall)) continue;
      log.info({ computer: record.id }, 'deleting an expired computer');
      actOfService({ auditLog, record, action: 'expire' }, () =>
        machines.of(record).remove('It expired.'),
      ).catch((err) => log.warn({ computer: record.id, err }, 'deleting it failed'));
    }
  };
  const timer = setInterval(() => {
    try {
      check();
    } catch (err) {
      log.warn({ err }, 'looking for expired computers failed');
    }
  }, CHECK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
