const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Backspace, tab, newline, form feed and carriage return have short forms. */
const SHORT = new Set([8, 9, 10, 12, 13]);

/** The length of what JSON.stringify returns for a value, without making that of its texts. */
export function jsonLength(value: unknown): number {
  let characters = 0;
  const rest = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'string') return part;
    characters += escapedLength(part);
    return '';
  });
  return characters + rest.length;
}

/** Characters of a text in JSON, without the quotes. */
function escapedLength(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20) length += SHORT.has(code) ? 1 : 5;
    else if (code === QUOTE || code === BACKSLASH) length += 1;
    else if ((code & 0xf800) === 0xd800) {
      // A pair stays as it is; half of one becomes six characters.
      if ((text.codePointAt(at) ?? 0) > 0xffff) at += 1;
      else length += 5;
    }
  }
  return length;
}
