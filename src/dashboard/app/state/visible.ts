/** Characters that reverse or hide the text around them. */
const HIDDEN = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** A text with names in it, in which no name changes how the rest is read. */
export function visible(text: string): string {
  return text.replaceAll(HIDDEN, '\ufffd');
}
