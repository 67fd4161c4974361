/** UTF-16 units that are divided at once, because the segmenter's time is quadratic. */
const WINDOW = 1024;

/**
 * Matches where one of two code points beside each other may be of the same grapheme (UAX #29):
 * marks, modifiers, format characters with ZWJ, halves of flags, Hangul Jamo, and whole blocks in
 * which letters are of SpacingMark or Prepend.
 */
const COMBINING =
  /[\p{M}\p{Grapheme_Extend}\p{Emoji_Modifier}\p{Cf}\p{Regional_Indicator}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\u0d00-\u0eff\u{11000}-\u{11fff}\u{16d40}-\u{16d7f}]/u;

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The graphemes of a text without control characters, one after the other; the caller can pause in
 * between. One of more than {@link WINDOW} units is divided.
 */
export function* graphemesOf(text: string): Generator<string, void> {
  for (let start = 0; start < text.length; ) {
    const window = text.slice(start, endOfWindow(text, start + WINDOW));
    const parts = divide(window);
    // It may continue in the next window.
    const last = start + window.length < text.length && parts.length > 1 ? parts.pop() : undefined;
    yield* parts;
    start += window.length - (last?.length ?? 0);
  }
}

/** Whether a text is a single grapheme. */
export function isGrapheme(text: string): boolean {
  return divide(text).length === 1;
}

function divide(text: string): string[] {
  if (!COMBINING.test(text)) return Array.from(text);
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** The same place, or the next where it is between the halves of a surrogate pair. */
function endOfWindow(text: string, end: number): number {
  const isHalf = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return isHalf ? end + 1 : end;
}
