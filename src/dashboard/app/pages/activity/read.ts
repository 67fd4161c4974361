import { call, query } from '../../api/http.js';
import type { AuditEntry, Lists } from '../../api/types.js';

/** Entries of one page. */
export const PAGE = 200;

interface Reading {
  readonly computer?: string;
  /** Only entries before this id. */
  readonly before?: number | undefined;
  readonly limit?: number;
}

export async function readEntries({
  computer,
  before,
  limit = PAGE,
}: Reading): Promise<AuditEntry[]> {
  const path = `/audit${query({ limit, before, computer })}`;
  return (await call<Lists['audit']>('GET', path)).entries;
}

/** Whether an entry is shown; `computer` is filtered by the service. */
export function matchesEntry(
  entry: AuditEntry,
  filters: Readonly<Record<string, string>>,
): boolean {
  const { action = '', key = '', outcome = '' } = filters;
  return (
    entry.action.toLowerCase().includes(action.toLowerCase()) &&
    (key === '' || keyOf(entry) === key) &&
    (outcome === '' || (outcome === 'ok') === (entry.outcome === 'ok'))
  );
}

/** Who did it. */
export function keyOf({ key_name, key_id }: AuditEntry): string {
  return key_name ?? key_id;
}

/** The details in one line. */
export function detailOf({ detail }: AuditEntry): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
