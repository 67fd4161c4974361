import type { Log } from '../../lib/log.js';
import { count } from '../../lib/text/count.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { Budgets } from '../consumption/budgets.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';
import { actOfService } from './act-of-service.js';
import type { Machines } from './machines.js';

const CHECK_EVERY_MS = 15_000;

const OUT_OF_HOURS = 'The budget of hours of the API key that created it is used up.';

/**
 * Stops computers that were idle for their `auto_stop_minutes`, or deletes them, and stops those of a
 * key whose budget of hours is used up.
 */
export function autoStop(parts: {
  readonly store: Store;
  readonly machines: Machines;
  readonly auditLog: AuditLog;
  readonly budgets: Budgets;
  readonly log: Log;
}): { stop(): void } {
  const { store, machines, auditLog, budgets, log } = parts;
  const check = async (record: ComputerRecord) => {
    const machine = machines.of(record);
    const { created_by, auto_stop_minutes: minutes } = record;
    if (created_by !== null && budgets.isOutOfHours(created_by)) {
      log.info({ computer: record.id }, 'stopping a computer whose budget is used up');
      return actOfService({ auditLog, record, action: 'budgetStop' }, () =>
        machine.stop(OUT_OF_HOURS),
      );
    }
    if (minutes === null) return;
    if (machine.session.busy) machine.session.lastUsed = performance.now();
    if (performance.now() - machine.session.lastUsed < minutes * 60_000) return;
    log.info({ computer: record.id }, 'stopping an idle computer');
    const reason = `It was idle for ${count(minutes, 'minute')}.`;
    if (record.on_idle === 'delete' && record.protected === 0) {
      return actOfService({ auditLog, record, action: 'autoDelete' }, () => machine.remove(reason));
    }
    return actOfService({ auditLog, record, action: 'autoStop' }, () => machine.stop(reason));
  };
  const checkAll = async () => {
    for (const record of store.computers.listAll()) {
      if (record.status !== 'running') continue;
      check(record).catch((err) => {
        log.warn({ computer: record.id, err }, 'auto-stop failed');
      });
    }
  };
  const timer = setInterval(() => {
    checkAll().catch((err) => log.warn({ err }, 'auto-stop failed'));
  }, CHECK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
