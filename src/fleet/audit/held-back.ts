import { type HolderOf, isLimitedHolder } from '../store/accounts/key-holders.js';
import type { AuditRow } from '../store/audit/entries.js';
import { type Divide, divideAmongKeys, divideExcess } from '../store/limits/excess.js';
import { limitedShare } from '../store/limits/shares.js';

/**
 * The rows without the oldest beyond `most` of keys with all rights, and beyond the share of limited
 * keys besides: of each, the owners with the most rows lose some, and of these owners the holders of
 * API keys with the most.
 */
export function latestOfEach(
  rows: readonly AuditRow[],
  most: number,
  holderOf: HolderOf,
): AuditRow[] {
  const limited = new Set(rows.filter(({ key_id }) => isLimitedHolder(holderOf(key_id))));
  const full = rows.filter((row) => !limited.has(row));
  const dropped = new Set([
    ...oldestBeyond(most, full, holderOf),
    ...oldestBeyond(limitedShare(most).ofAll, [...limited], holderOf),
  ]);
  return rows.filter((row) => !dropped.has(row));
}

function oldestBeyond(most: number, rows: readonly AuditRow[], holderOf: HolderOf): AuditRow[] {
  const owners = new Map<string, Map<string, number>>();
  for (const { owner_id, key_id } of rows) {
    const keys = owners.get(owner_id) ?? new Map<string, number>();
    owners.set(owner_id, keys.set(key_id, (keys.get(key_id) ?? 0) + 1));
  }
  const totals = [...owners].map(([id, keys]) => [id, sum(keys.values())] as const);
  const losses = new Map<string, Map<string, number>>();
  for (const [id, excess] of divideExcess(totals, rows.length - most)) {
    const divide: Divide = (counts) => divideExcess(counts, excess);
    losses.set(id, divideAmongKeys(owners.get(id) ?? [], holderOf, divide));
  }
  return rows.filter(({ owner_id, key_id }) => {
    const keys = losses.get(owner_id);
    const left = keys?.get(key_id) ?? 0;
    if (left > 0) keys?.set(key_id, left - 1);
    return left > 0;
  });
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
