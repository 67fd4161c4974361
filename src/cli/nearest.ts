/** The candidate that `word` was most likely meant to be, if one is near enough. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length * 0.4));
  let best: string | undefined;
  // A word that shares no letter is not near, however short it is.
  let bestDistance = Math.min(limit + 1, word.length);
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Damerau-Levenshtein distance (optimal string alignment) in UTF-16 units. */
function editDistance(a: string, b: string): number {
  let previous: number[] = [];
  let current = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const beforePrevious = previous;
    previous = current;
    current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const at = (row: number[], index: number) => row[index] ?? 0;
      const substitution = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let distance = Math.min(substitution, at(previous, j) + 1, at(current, j - 1) + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) distance = Math.min(distance, at(beforePrevious, j - 2) + 1);
      current.push(distance);
    }
  }
  return current[b.length] ?? 0;
}
