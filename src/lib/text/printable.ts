/**
 * Control characters, line separators, and characters that change the direction or meaning of the
 * text around them.
 */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/gu;

/** Replaces unsafe characters, so that untrusted text cannot control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(UNSAFE, '\ufffd');
}

/** The text without unsafe characters. */
export function removeUnsafe(text: string): string {
  return text.replaceAll(UNSAFE, '');
}

/** Escapes unsafe characters in JSON that is shown on a terminal; its value stays the same. */
export function printableJson(json: string): string {
  const escaped = (unsafe: string) => `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replaceAll(UNSAFE, (unsafe) => (unsafe === '\n' ? unsafe : escaped(unsafe)));
}

/** The start of a text of a guest or peer, on one line, to be quoted in a message. */
export function excerpt(text: string, most = 200): string {
  const line = printable(text.slice(0, 4 * most))
    .replaceAll(/[\s\ufffd]+/g, ' ')
    .trim();
  return cut(line, most);
}

/** The beginning of a text of more than `most` UTF-16 units, with `…`. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}
