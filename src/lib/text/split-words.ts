/**
 * Splits a command line into words like a shell, with single quotes, double quotes and backslashes,
 * but without expanding anything. Undefined if a quote is not closed or it ends with a backslash.
 */
export function splitWords(line: string): string[] | undefined {
  const word = /(?:[^\s'"\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")+|\s+|[\s\S]/g;
  const words: string[] = [];
  for (const [part] of line.matchAll(word)) {
    if (/^\s/.test(part)) continue;
    if (/^['"\\]$/.test(part)) return undefined;
    words.push(unquoted(part));
  }
  return words;
}

function unquoted(part: string): string {
  return part.replaceAll(
    /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g,
    (_, single?: string, double?: string, escaped?: string) =>
      single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? '',
  );
}
