/**
 * The oldest entry of the API key that has the most of them, so that no key pushes out those of
 * another. `entries` are names with the ids of their keys, the oldest first.
 */
export function oldestOfBusiestKey(
  entries: Iterable<readonly [name: string, keyId: string]>,
): string | undefined {
  const keys = new Map<string, { readonly oldest: string; count: number }>();
  for (const [name, keyId] of entries) {
    const known = keys.get(keyId);
    if (known) known.count += 1;
    else keys.set(keyId, { oldest: name, count: 1 });
  }
  const most = Math.max(0, ...[...keys.values()].map(({ count }) => count));
  return [...keys.values()].find(({ count }) => count === most)?.oldest;
}
