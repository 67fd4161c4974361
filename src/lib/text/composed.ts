/** Marks in a row that are put in order together; Unicode's Stream-Safe Text Format (UAX #15) has 30. */
const TOO_MANY = /\p{M}{31}/u;
const BEHIND = /(?<=\p{M}{30})(?=\p{M})/u;

/**
 * The text in Unicode's normalization form C, in linear time: of more than 30 marks in a row, the
 * further ones are not put in order, which takes ICU quadratic time.
 */
export function composed(text: string): string {
  if (!TOO_MANY.test(text)) return text.normalize('NFC');
  return text
    .split(BEHIND)
    .map((part) => part.normalize('NFC'))
    .join('');
}
