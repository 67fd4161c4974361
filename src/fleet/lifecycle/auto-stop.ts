import type { Log } from '../../lib/log.js';
import { count } from '../../lib/text/count.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';
import { actOfService } from './act-of-service.js';
import type { Machines } from './machines.js';

const CHECK_EVERY_MS = 15_000;

/** Stops computers that were idle for their `auto_stop_minutes`, or deletes them. */
export function autoStop(parts: {
  readonly store: Store;
  readonly machines: Machines;
  readonly auditLog: AuditLog;
  readonly log: Log;
}): { stop(): void } {
  const { store, machines, auditLog, log } = parts;
  const check = async (record: ComputerRecord, minutes: number) => {
    const machine = machines.of(record);
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
      const { status, auto_stop_minutes: minutes } = record;
      if (status !== 'running' || minutes === null) continue;
      check(record, minutes).catch((err) => {
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
