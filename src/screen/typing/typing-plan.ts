import { ApiError } from '../../contract/errors.js';
import { isTypable } from '../input/keyboard/keysyms.js';

/** Part of a text: pressed as keys, character by character, or pasted in one piece. */
export interface Step {
  readonly kind: 'keys' | 'paste';
  readonly text: string;
}

/** TigerVNC silently ignores a clipboard of more than 256 KiB. */
const MAX_PASTE_BYTES = 128 << 10;

/** UTF-16 units segmented into characters at once; see {@link split}. */
const WINDOW = 1024;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

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
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
  const stretches = lines.split(/([\x00-\x1f\x7f]+)/);
  return merged(stretches.flatMap(planStretch));
}

/** The same for typing with pauses: each step types one grapheme. */
export function planSlowly(text: string): Step[] {
  return planTyping(text).flatMap(({ kind, text: part }) =>
    split(part).map((character) => ({ kind, text: character })),
  );
}

function planStretch(stretch: string): Step[] {
  if (isAscii(stretch)) return [{ kind: 'keys', text: stretch }];
  const characters = split(stretch);
  const first = characters.findIndex((character) => !isAscii(character));
  const last = characters.findLastIndex((character) => !isAscii(character));
  return [
    { kind: 'keys', text: characters.slice(0, first).join('') },
    ...pastes(characters.slice(first, last + 1)),
    { kind: 'keys', text: characters.slice(last + 1).join('') },
  ];
}

function pastes(characters: readonly string[]): Step[] {
  const steps: Step[] = [];
  let text = '';
  let bytes = 0;
  for (const character of characters) {
    const size = Buffer.byteLength(character);
    if (bytes + size > MAX_PASTE_BYTES) {
      steps.push({ kind: 'paste', text });
      text = '';
      bytes = 0;
    }
    text += character;
    bytes += size;
  }
  return [...steps, { kind: 'paste', text }];
}

function merged(steps: readonly Step[]): Step[] {
  const result: Step[] = [];
  for (const step of steps) {
    const before = result.at(-1);
    if (step.text === '') continue;
    if (step.kind === 'keys' && before?.kind === 'keys') {
      result[result.length - 1] = { kind: 'keys', text: before.text + step.text };
    } else result.push(step);
  }
  return result;
}

function requireTypable(text: string): void {
  if (!text.isWellFormed()) {
    throw new ApiError(
      'invalid_request',
      'text: must be well-formed Unicode (a surrogate is unpaired).',
    );
  }
  for (const character of text) {
    if (isTypable(character)) continue;
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    throw new ApiError(
      'invalid_request',
      `text: has the control character U+${code}, which no key types.`,
      { remedy: 'Send it as a key, for example "ctrl+c".' },
    );
  }
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are ASCII too
  return /^[\x00-\x7f]*$/.test(text);
}

/**
 * Splits a text into graphemes, one window at a time: the segmenter's time is quadratic, 23 s for
 * 100,000 Chinese characters. The last grapheme of a window may continue in the next, so it is
 * segmented again there, unless it fills the whole window.
 */
function split(text: string): string[] {
  const characters: string[] = [];
  for (let start = 0; start < text.length; ) {
    const window = text.slice(start, start + WINDOW);
    const parts = Array.from(graphemes.segment(window), ({ segment }) => segment);
    const last = start + window.length < text.length && parts.length > 1 ? parts.pop() : undefined;
    for (const part of parts) characters.push(part);
    start += window.length - (last?.length ?? 0);
  }
  return characters;
}
