/** Limit of edits in a long word; with more, the search would take the service too long. */
const MOST_EDITS = 8;

/**
 * The candidate that `word` was most likely meant to be, by edit distance; undefined when none is
 * near enough. Case does not count. `limit` is the number of edits at most.
 */
export function nearest(
  word: string,
  candidates: Iterable<string>,
  limit = Math.min(MOST_EDITS, Math.max(1, Math.floor(word.length * 0.4))),
): string | undefined {
  const lower = word.toLowerCase();
  let best: string | undefined;
  // In a short word, at least one letter must match.
  let bestDistance = Math.min(limit + 1, word.length);
  for (const candidate of candidates) {
    const distance = editDistance(lower, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/**
 * Damerau-Levenshtein distance (optimal string alignment) in UTF-16 units if it is less than
 * `limit`, else `limit` or more. Looks only at the cells within `limit` of the diagonal.
 */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforePrevious = new Uint32Array(b.length + 1);
  let previous = new Uint32Array(b.length + 1);
  let current = Uint32Array.from({ length: b.length + 1 }, (_, j) => j);
  let least = 0;
  for (let i = 1; i <= a.length; i += 1) {
    const previousLeast = least;
    [beforePrevious, previous, current] = [previous, current, beforePrevious];
    const from = Math.max(1, i - limit);
    const to = Math.min(b.length, i + limit);
    current[from - 1] = from === 1 ? i : limit;
    least = from === 1 ? i : limit;
    for (let j = from; j <= to; j += 1) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let distance = Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) distance = Math.min(distance, (beforePrevious[j - 2] ?? 0) + 1);
      current[j] = distance;
      if (distance < least) least = distance;
    }
    // Each later row follows from the last two.
    if (least >= limit && previousLeast + 1 >= limit) return limit;
    if (to < b.length) current[to + 1] = limit;
  }
  return current[b.length] ?? 0;
}
