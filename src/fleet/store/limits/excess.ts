import type { HolderOf } from '../accounts/key-holders.js';

/**
 * How many entries each holder loses, so that `excess` fewer are left in all: those with the most are
 * cut to the same number, and those with fewer lose none. Sorts the holders once.
 */
export function divideExcess(
  counts: Iterable<readonly [holder: string, count: number]>,
  excess: number,
): Map<string, number> {
  const losses = new Map<string, number>();
  if (excess <= 0) return losses;
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  let sum = 0;
  for (const [index, [, count]] of sorted.entries()) {
    const holders = index + 1;
    sum += count;
    const next = sorted[holders]?.[1] ?? 0;
    // Cut to the next one's number, these holders lose too little.
    if (sum - holders * next < excess && holders < sorted.length) continue;
    const kept = Math.max(0, sum - excess);
    for (const [place, [holder, has]] of sorted.slice(0, holders).entries()) {
      const keeps = Math.floor(kept / holders) + (place < kept % holders ? 1 : 0);
      if (has > keeps) losses.set(holder, has - keeps);
    }
    return losses;
  }
  return losses;
}

/** How many entries each holder of API keys loses, of those that it has. */
export type Divide = (
  counts: readonly (readonly [holder: string, count: number])[],
) => Map<string, number>;

/**
 * How many entries each API key loses: a holder of keys loses as many as `divide` says, and what it
 * loses is divided among its keys.
 */
export function divideAmongKeys(
  counts: Iterable<readonly [keyId: string, count: number]>,
  holderOf: HolderOf,
  divide: Divide,
): Map<string, number> {
  const holders = new Map<string, (readonly [keyId: string, count: number])[]>();
  for (const entry of counts) {
    const holder = holderOf(entry[0]);
    const keys = holders.get(holder);
    if (keys === undefined) holders.set(holder, [entry]);
    else keys.push(entry);
  }
  const totals = [...holders].map(([holder, keys]) => {
    return [holder, keys.reduce((sum, [, count]) => sum + count, 0)] as const;
  });
  const losses = new Map<string, number>();
  for (const [holder, loss] of divide(totals)) {
    for (const [keyId, lost] of divideExcess(holders.get(holder) ?? [], loss)) {
      losses.set(keyId, lost);
    }
  }
  return losses;
}
