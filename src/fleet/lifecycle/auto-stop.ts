import type { Log } from '../../lib/log.js';
import { type AuditLog, SERVICE_KEY, startTimer } from '../audit/audit-log.js';
import type { Budgets } from '../consumption/budgets.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';
import type { Machines } from './machines.js';

const CHECK_EVERY_MS = 15_000;

const OUT_OF_HOURS = 'The budget of hours of the API key that created it is used up.';

/**
 * Stops computers that were idle for their `auto_stop_minutes`, and those of a key whose budget of hours
 * is used up.
 */
export function autoStop(parts: {
  readonly store: Store;
  readonly machines: Machines;
  readonly auditLog: AuditLog;
  readonly budgets: Budgets;
  readonly log: Log;
}): { stop(): void } {
  const { store, machines, auditLog, budgets, log } = parts;
  const stop = async (record: ComputerRecord, action: string, reason?: string) => {
    const timer = startTimer();
    await machines.of(record).stop(reason);
    auditLog.record({
      owner: { id: record.owner_id, keyId: SERVICE_KEY },
      computerId: record.id,
      action,
      detail: {},
      outcome: 'ok',
      ...timer(),
    });
  };
  const check = async (record: ComputerRecord) => {
    const { created_by, auto_stop_minutes: minutes } = record;
    if (created_by !== null && budgets.isOutOfHours(created_by)) {
      log.info({ computer: record.id }, 'stopping a computer whose budget is used up');
      await stop(record, 'budgetStop', OUT_OF_HOURS);
      return;
    }
    if (minutes === null) return;
    const machine = machines.of(record);
    if (machine.session.busy) machine.session.lastUsed = performance.now();
    if (performance.now() - machine.session.lastUsed < minutes * 60_000) return;
    log.info({ computer: record.id }, 'stopping an idle computer');
    await stop(record, 'autoStop');
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
