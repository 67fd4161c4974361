/** A word as it would be typed into a shell, quoted only where it has to be. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  // A newline as $'…' keeps the line one line.
  if (/[\n\r\t]/.test(word)) {
    const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
    const text = word.replaceAll(/[\\']/g, '\\$&');
    return `$'${text.replaceAll(/[\n\r\t]/g, (character) => escapes[character] ?? '')}'`;
  }
  return `'${word.replaceAll("'", "'\\''")}'`;
}
