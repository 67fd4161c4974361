/** A column with the width of its widest cell and the gap. */
interface Measured {
  readonly width: number;
  readonly shrinks?: true;
  readonly spare?: number;
}

/** A column is not shrunk below this width while there are spare columns to drop. */
const READABLE = 26;
/** No column is shrunk below this width. */
const LEAST = 10;

/**
 * Columns that fit into `total`: drops spare columns until the others are readable, then narrows
 * the columns that may shrink, the widest first.
 */
export function fitColumns<C extends Measured>(columns: readonly C[], total: number): C[] {
  let kept = [...columns];
  const needed = () =>
    sum(kept.map(({ shrinks, width }) => (shrinks ? Math.min(width, READABLE) : width)));
  while (needed() > total) {
    const most = Math.max(...kept.map(({ spare = 0 }) => spare));
    if (most === 0) break;
    kept = kept.filter(({ spare }) => spare !== most);
  }
  for (;;) {
    const excess = sum(kept.map(({ width }) => width)) - total;
    const candidates = kept.filter(({ shrinks, width }) => shrinks && width > LEAST);
    const [first] = candidates.sort((a, b) => b.width - a.width);
    if (excess <= 0 || first === undefined) return kept;
    kept = kept.map((column) => (column === first ? { ...first, width: first.width - 1 } : column));
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Display width of the widest text. */
export function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, displayWidth(text)), 0);
}

/** Terminal columns of a text: two for wide characters, none for combining marks. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width +=
      /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u.test(
        segment,
      )
        ? 2
        : 1;
  }
  return width;
}
