/**
 * The WebSocket subprotocol of the service, for pages. They cannot send a key in `Authorization`, so
 * they offer it as a second subprotocol, {@link keyProtocol}, which the service never chooses.
 */
export const SOCKET_PROTOCOL = 'vc';

const KEY_PREFIX = 'vc.key.';

/** The one of the offered subprotocols that the service chooses: the first that is no key. */
export function chooseProtocol(offered: Iterable<string>): string | false {
  return [...offered].find((protocol) => !protocol.startsWith(KEY_PREFIX)) ?? false;
}

/** An API key, which is ASCII, as a subprotocol: in base64url, because those are tokens. */
export function keyProtocol(key: string): string {
  const base64 = btoa(key).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return `${KEY_PREFIX}${base64}`;
}

/** The key in a header `Sec-WebSocket-Protocol`; undefined if it has none, or several. */
export function keyOfProtocols(header: string): string | undefined {
  const keys = header
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol.startsWith(KEY_PREFIX));
  const [encoded = ''] = keys;
  if (keys.length !== 1 || !/^vc\.key\.[\w-]{2,344}$/.test(encoded)) return undefined;
  const base64 = encoded.slice(KEY_PREFIX.length).replaceAll('-', '+').replaceAll('_', '/');
  try {
    const key = atob(base64);
    return /^[\x21-\x7e]{1,256}$/.test(key) ? key : undefined;
  } catch {
    return undefined;
  }
}
