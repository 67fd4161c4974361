import type { HolderOf } from '../store/accounts/key-holders.js';

/**
 * The oldest entry of the holder of API keys that has the most of them, so that no key, nor those
 * that it has made, pushes out those of another. `entries` are names with the ids of their keys, the
 * oldest first.
 */
export function oldestOfBusiestKey(
  entries: Iterable<readonly [name: string, keyId: string]>,
  holderOf: HolderOf,
): string | undefined {
  const keys = new Map<string, string>();
  const holders = new Map<string, { readonly oldest: string; count: number }>();
  for (const [name, keyId] of entries) {
    const holder = keys.get(keyId) ?? holderOf(keyId);
    keys.set(keyId, holder);
    const known = holders.get(holder);
    if (known) known.count += 1;
    else holders.set(holder, { oldest: name, count: 1 });
  }
  const most = Math.max(0, ...[...holders.values()].map(({ count }) => count));
  return [...holders.values()].find(({ count }) => count === most)?.oldest;
}
