/** The beginning of a text of more than `most` UTF-16 units, with `…`. */
export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}
