/**
 * The first 30 of more marks in a row; Unicode's Stream-Safe Text Format (UAX #15) has 30 at most. No
 * match begins behind a mark, so the search takes linear time.
 */
const MANY_MARKS = /(?<!\p{M})\p{M}{30}(?=\p{M})/gu;
const NEXT_MARKS = /\p{M}{1,30}/uy;

/**
 * The text in Unicode's normalization form C, in linear time: of more than 30 marks in a row, each 30
 * are put in order on their own. All of them together would take ICU quadratic time.
 */
export function composed(text: string): string {
  if (text.search(MANY_MARKS) === -1) return text.normalize('NFC');
  return piecesOf(text)
    .map((piece) => piece.normalize('NFC'))
    .join('');
}

/** The text, cut after each 30 marks of more in a row. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (const { index } of text.matchAll(MANY_MARKS)) {
    NEXT_MARKS.lastIndex = index;
    while (NEXT_MARKS.test(text)) {
      pieces.push(text.slice(start, NEXT_MARKS.lastIndex));
      start = NEXT_MARKS.lastIndex;
    }
  }
  pieces.push(text.slice(start));
  return pieces;
}
