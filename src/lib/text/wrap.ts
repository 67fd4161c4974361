/**
 * Words in lines of at most `width` characters; a longer word has a line of its own. `measure`
 * replaces the number of characters, for example by that of terminal columns.
 */
export function wrap(
  text: string,
  width: number,
  measure: (text: string) => number = (part) => part.length,
): string[] {
  const lines: string[] = [];
  let used = 0;
  for (const word of text.split(' ')) {
    const length = measure(word);
    if (lines.length > 0 && used + 1 + length <= width) {
      lines[lines.length - 1] += ` ${word}`;
      used += 1 + length;
    } else {
      lines.push(word);
      used = length;
    }
  }
  return lines;
}
