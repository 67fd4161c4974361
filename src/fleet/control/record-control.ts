import type { Log } from '../../lib/log.js';
import { errorMessage } from '../../lib/text/error-message.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { Store } from '../store/index.js';
import type { ControlChange, ControlLeases } from './leases.js';

interface Parts {
  readonly store: Store;
  readonly auditLog: AuditLog;
  readonly log: Log;
}

/**
 * Writes who takes control and gives it back as events, and into the audit log what no request says:
 * that it has ended by itself or was taken over, as an entry of the key that had it.
 */
export function recordControl(control: ControlLeases, { store, auditLog, log }: Parts): void {
  control.onChange(({ step, record, control: { holder, since } }: ControlChange) => {
    if (step !== 'taken' && step !== 'released') {
      auditLog.record({
        owner: { id: record.owner_id, keyId: holder.key_id },
        computerId: record.id,
        action: 'controlEnded',
        detail: { step, holder: holder.key_id, session: holder.session, since },
        outcome: 'ok',
        at: new Date().toISOString(),
        ms: 0,
      });
    }
    try {
      store.events.add(record.id, 'computer.control', { change: step, holder, since });
      store.written.notify(record.owner_id);
    } catch (error) {
      // A full disk must not keep control from anybody.
      log.warn({ computer: record.id, reason: errorMessage(error) }, 'an event is lost');
    }
  });
}
