/** Throws TypeError unless it is an http(s) address without a user, query and fragment. */
export function parseBaseUrl(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash) {
    throw new TypeError(`the base URL ${JSON.stringify(baseUrl)} is not an http(s) address`);
  }
  if (url.username || url.password) {
    throw new TypeError('the base URL must not hold a user name or password; the key goes apart');
  }
  return url;
}

/** The header with the key. Throws TypeError for one that cannot be sent. */
export function authorizationHeader(apiKey: string | undefined): Record<string, string> {
  if (apiKey === undefined) return {};
  // The key itself is never part of a message.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('the API key has a character no key has');
  return { authorization: `Bearer ${apiKey}` };
}

/** `?a=1` of the values that are defined, a list as several; empty without any. */
export function queryString(query: unknown): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

/** A key that no other request has. `crypto.randomUUID` is missing in pages of plain HTTP. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
