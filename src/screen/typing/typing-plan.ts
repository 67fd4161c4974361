import { ApiError } from '../../contract/errors.js';
import { findUntypable } from '../input/keyboard/keysyms.js';
import { graphemesOf, isGrapheme } from './graphemes.js';

/** Part of a text: pressed as keys, character by character, or pasted in one piece. */
export interface Step {
  readonly kind: 'keys' | 'paste';
  readonly text: string;
}

/** TigerVNC silently ignores a clipboard of more than 256 KiB. */
const MAX_PASTE_BYTES = 128 << 10;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const CONTROLS = /([\x00-\x1f\x7f]+)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are ASCII too
const NOT_ASCII = /[^\x00-\x7f]/u;

/**
 * Plans how to type a text: ASCII as keys and, in each stretch between control characters, one
 * paste from the first to the last character that is not ASCII. Graphemes (a letter and its
 * accent, the parts of an emoji) are never divided. A paste contains no newline, which a shell
 * would run and a text field would submit.
 *
 * Throws ApiError `invalid_request` for a control character that no key types.
 */
export function planTyping(text: string): Step[] {
  const lines = text.replace(/\r\n?/g, '\n');
  requireTypable(lines);
  const steps: Step[] = [];
  for (const stretch of lines.split(CONTROLS)) {
    const { head, middle, tail } = parts(stretch);
    addKeys(steps, head);
    addPastes(steps, middle);
    addKeys(steps, tail);
  }
  return steps;
}

/** The same for typing with pauses: each step types one grapheme. */
export function planSlowly(text: string): Step[] {
  return planTyping(text).flatMap(({ kind, text: part }) =>
    Array.from(graphemesOf(part), (character) => ({ kind, text: character })),
  );
}

/** Throws ApiError `invalid_request` for a text that cannot be typed. */
export function requireTypable(text: string): void {
  if (!text.isWellFormed()) {
    throw new ApiError(
      'invalid_request',
      'text: must be well-formed Unicode (a surrogate is unpaired).',
    );
  }
  const found = findUntypable(text);
  if (found === undefined) return;
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  throw new ApiError(
    'invalid_request',
    `text: has the control character U+${code}, which no key types.`,
    { remedy: 'Send it as a key, for example "ctrl+c".' },
  );
}

/** ASCII at the beginning, at the end, and the graphemes between these, with all that is not ASCII. */
function parts(stretch: string): { head: string; middle: string; tail: string } {
  let first = stretch.search(NOT_ASCII);
  if (first === -1) return { head: stretch, middle: '', tail: '' };
  let end = stretch.length;
  while (stretch.charCodeAt(end - 1) < 0x80) end -= 1;
  // A letter before and its accent, or a prefix and the digit after it.
  const [opening = ''] = stretch.slice(first, first + 2);
  const closing = Array.from(stretch.slice(Math.max(first, end - 2), end)).at(-1) ?? '';
  if (first > 0 && isGrapheme(stretch.charAt(first - 1) + opening)) first -= 1;
  if (end < stretch.length && isGrapheme(closing + stretch.charAt(end))) end += 1;
  return {
    head: stretch.slice(0, first),
    middle: stretch.slice(first, end),
    tail: stretch.slice(end),
  };
}

function addKeys(steps: Step[], text: string): void {
  const before = steps.at(-1);
  if (text === '') return;
  if (before?.kind !== 'keys') steps.push({ kind: 'keys', text });
  else steps[steps.length - 1] = { kind: 'keys', text: before.text + text };
}

function addPastes(steps: Step[], middle: string): void {
  if (Buffer.byteLength(middle) <= MAX_PASTE_BYTES) {
    if (middle !== '') steps.push({ kind: 'paste', text: middle });
    return;
  }
  let text = '';
  let bytes = 0;
  for (const character of graphemesOf(middle)) {
    const size = Buffer.byteLength(character);
    if (bytes + size > MAX_PASTE_BYTES) {
      steps.push({ kind: 'paste', text });
      text = '';
      bytes = 0;
    }
    text += character;
    bytes += size;
  }
  steps.push({ kind: 'paste', text });
}
