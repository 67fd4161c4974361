import type { HolderOf } from '../store/accounts/key-holders.js';
import type { Divide } from '../store/limits/excess.js';

type Entries = ReadonlyMap<string, string> | readonly (readonly [name: string, keyId: string])[];

/**
 * The names of the oldest entries, as many of each holder as `divide` says. `entries` are names with
 * the ids of their keys, the oldest first. Of holders with equally many, the one that has added none
 * for longest loses first.
 */
export function oldestOfEach(entries: Entries, holderOf: HolderOf, divide: Divide): string[] {
  const { counts, holders } = countByHolder(entries, holderOf);
  const losses = divide([...counts].reverse());
  const names: string[] = [];
  for (const [name, keyId] of entries) {
    if (losses.size === 0) break;
    const holder = holders.get(keyId) ?? '';
    const loss = losses.get(holder);
    if (loss === undefined) continue;
    names.push(name);
    if (loss > 1) losses.set(holder, loss - 1);
    else losses.delete(holder);
  }
  return names;
}

/** Numbers of entries by holder, that of the newest entry last, and the holder of each key. */
function countByHolder(entries: Entries, holderOf: HolderOf) {
  const counts = new Map<string, number>();
  const holders = new Map<string, string>();
  let last = { keyId: '', holder: '', count: 0 };
  for (const [, keyId] of entries) {
    if (keyId === last.keyId) {
      last.count += 1;
      continue;
    }
    if (last.count > 0) counts.set(last.holder, last.count);
    const holder = holders.get(keyId) ?? holderOf(keyId);
    holders.set(keyId, holder);
    last = { keyId, holder, count: (counts.get(holder) ?? 0) + 1 };
    counts.delete(holder);
  }
  if (last.count > 0) counts.set(last.holder, last.count);
  return { counts, holders };
}
