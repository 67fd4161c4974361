import { isLimitedHolder } from '../accounts/key-holders.js';
import { divideExcess } from './excess.js';

/** Of a limit: what the limited keys of an owner may have together, and what one of them may have. */
const LIMITED = 3 / 4;
const ONE_LIMITED = 1 / 2;

/** What the limited keys of an owner may have of a limit. */
export function limitedShare(limit: number): { readonly ofOne: number; readonly ofAll: number } {
  return { ofOne: Math.ceil(limit * ONE_LIMITED), ofAll: Math.ceil(limit * LIMITED) };
}

/**
 * How many entries of an owner each holder of keys loses. Keys with all rights may have `limit`
 * entries. Those of limited keys are not counted among these, and have their share besides: so they
 * push out none of keys with all rights.
 */
export function divideShares(
  counts: readonly (readonly [holder: string, count: number])[],
  limit: number,
): Map<string, number> {
  const full = counts.filter(([holder]) => !isLimitedHolder(holder));
  const losses = divideExcess(full, sum(full) - limit);
  const { ofOne, ofAll } = limitedShare(limit);
  const limited = counts.filter(([holder]) => isLimitedHolder(holder));
  const kept = limited.map(([holder, count]) => [holder, Math.min(count, ofOne)] as const);
  const further = divideExcess(kept, sum(kept) - ofAll);
  for (const [holder, count] of limited) {
    const loss = Math.max(0, count - ofOne) + (further.get(holder) ?? 0);
    if (loss > 0) losses.set(holder, loss);
  }
  return losses;
}

function sum(counts: readonly (readonly [string, number])[]): number {
  return counts.reduce((total, [, count]) => total + count, 0);
}
