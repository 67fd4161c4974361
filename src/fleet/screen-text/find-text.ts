import type { Element } from '../../contract/actions/actions.js';
import { intersects } from '../../screen/geometry.js';
import type { Region } from '../../screen/types.js';
import type { ReadWord } from './montage.js';
import type { Lines } from './screen-text.js';

/** Characters of a word or line in an answer, as of an element's value. */
const MOST_CHARACTERS = 1000;
const LETTER = /[\p{L}\p{N}]/u;

/**
 * The places of a text, as elements, from top to bottom. Case and spaces do not matter. If it occurs as
 * whole words, parts of words do not count.
 */
export function findText(lines: Lines, wanted: string): Element[] {
  const text = folded(wanted);
  if (text === '') return [];
  const found = lines.flatMap((line) => placesIn(line, text));
  const whole = found.filter((each) => each.isWhole);
  return (whole.length > 0 ? whole : found).map(({ element }) => element);
}

/** The words inside a region. */
export function linesIn(lines: Lines, region: Region | undefined): Lines {
  if (region === undefined) return lines;
  return lines
    .map((line) => line.filter((word) => intersects(word, region)))
    .filter((line) => line.length > 0);
}

export function lineText(line: readonly ReadWord[]): string {
  const text = line.map((word) => word.text).join(' ');
  return text.slice(0, MOST_CHARACTERS).toWellFormed();
}

function placesIn(line: readonly ReadWord[], wanted: string) {
  const folds = line.map((word) => folded(word.text));
  const text = folds.join('');
  const ends: number[] = [];
  for (const fold of folds) ends.push((ends.at(-1) ?? 0) + fold.length);
  const places: { readonly element: Element; readonly isWhole: boolean }[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    const end = at + wanted.length;
    const first = ends.findIndex((each) => each > at);
    const last = ends.findIndex((each) => each >= end);
    const begins = at === (ends[first - 1] ?? 0) || !LETTER.test(text[at - 1] ?? '');
    const stops = end === ends[last] || !LETTER.test(text[end] ?? '');
    const element = elementOf(line.slice(first, last + 1), line);
    places.push({ element, isWhole: begins && stops });
  }
  return places;
}

function elementOf(words: readonly ReadWord[], line: readonly ReadWord[]): Element {
  const x = Math.max(0, Math.min(...words.map((word) => word.x)));
  const y = Math.max(0, Math.min(...words.map((word) => word.y)));
  const width = Math.max(...words.map((word) => word.x + word.width)) - x;
  const height = Math.max(...words.map((word) => word.y + word.height)) - y;
  return {
    id: `text-${x}-${y}-${width}-${height}`,
    source: 'text',
    role: 'text',
    name: lineText(words),
    ...(words.length < line.length && { value: lineText(line) }),
    states: [],
    box: [x, y, width, height],
    actions: [],
  };
}

/** Without spaces and differences of case, width and quotation marks. */
function folded(text: string): string {
  return text
    .slice(0, MOST_CHARACTERS)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, '')
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[–—]/g, '-');
}
