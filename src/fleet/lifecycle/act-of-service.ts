import { type AuditLog, SERVICE_KEY, startTimer } from '../audit/audit-log.js';
import type { ComputerRecord } from '../store/records.js';

/** Runs what the service does to a computer without a request, and writes it into the audit log. */
export async function actOfService(
  {
    auditLog,
    record: { id, name, owner_id },
    action,
  }: {
    readonly auditLog: AuditLog;
    readonly record: ComputerRecord;
    readonly action: 'autoStop' | 'autoDelete' | 'budgetStop' | 'expire';
  },
  act: () => Promise<void>,
): Promise<void> {
  const timer = startTimer();
  await act();
  auditLog.record({
    owner: { id: owner_id, keyId: SERVICE_KEY },
    computerId: id,
    computerName: name,
    action,
    detail: {},
    outcome: 'ok',
    ...timer(),
  });
}

/** Writes into the audit log that a computer's machine ended without the service. */
export function recordEnd(
  auditLog: AuditLog,
  { id, owner_id }: ComputerRecord,
  status: ComputerRecord['status'],
): void {
  auditLog.record({
    owner: { id: owner_id, keyId: SERVICE_KEY },
    computerId: id,
    action: 'ended',
    detail: { status },
    outcome: 'ok',
    ...startTimer()(),
  });
}
