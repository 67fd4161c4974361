import type { Answer } from '../contract/types/index.js';

/** Characters of a name or value in a line. */
const MOST_CHARACTERS = 120;

export type Element = Answer<'getElements'>['elements'][number];

/** What an element is, for a line of a list. */
export function wordsOf({ role, name, value, states }: Element, box: readonly string[] = []) {
  const words = [role, ...box, quoted(name)];
  if (value !== undefined) words.push('=', quoted(value));
  if (states.length > 0) words.push(states.join(','));
  return words;
}

/** A text of a program as one string of JSON, so that it is not taken for another line. */
function quoted(text: string): string {
  const cut = text.length > MOST_CHARACTERS;
  return JSON.stringify(cut ? `${text.slice(0, MOST_CHARACTERS).toWellFormed()}…` : text);
}
