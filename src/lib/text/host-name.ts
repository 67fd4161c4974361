/** The longest label of a host name, RFC 1035. */
const MOST_CHARACTERS = 63;

/**
 * A valid host name (RFC 1123) for any text: accents are removed, letters become lower case, and
 * everything but letters and digits becomes a single hyphen. `computer` if nothing is left.
 */
export function hostNameOf(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  const cut = plain.replace(/^-/, '').slice(0, MOST_CHARACTERS).replace(/-$/, '');
  return cut === '' ? 'computer' : cut;
}
