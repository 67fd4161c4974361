/** Quotes a word for a shell, if necessary. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  // With $'…' a word with newlines stays on one line.
  if (/[\n\r\t]/.test(word)) {
    const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
    const text = word.replaceAll(/[\\']/g, '\\$&');
    return `$'${text.replaceAll(/[\n\r\t]/g, (character) => escapes[character] ?? '')}'`;
  }
  return `'${word.replaceAll("'", "'\\''")}'`;
}
