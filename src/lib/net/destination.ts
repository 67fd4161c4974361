import { parseCidr } from './cidr.js';

/** Characters of a domain at most. */
export const MAX_DOMAIN = 253;

/** What an entry of an allow list opens: a network, or a domain and all names below it. */
export type Destination = (
  | { readonly domain: string }
  /** In CIDR notation. */
  | { readonly network: string }
) & {
  /** The only TCP and UDP port; undefined for everything. */
  readonly port: number | undefined;
};

/** What an entry has to be, in an error. */
export const DESTINATION_FORM =
  'must be a domain, an IPv4 address or an IPv4 network, such as "example.com:443"';
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Parses an entry such as `example.com`, `*.example.com:443` or `10.0.0.0/8`. Throws a TypeError that
 * says what it must be.
 */
export function parseDestination(entry: string): Destination {
  if (/:.*:|[[\]]/.test(entry) && !entry.includes('//')) {
    throw new TypeError('must be IPv4: computers have no IPv6');
  }
  if (entry.includes('//')) throw new TypeError('must be a domain, not a URL');
  const [host = '', given] = entry.toLowerCase().split(':');
  const port = given === undefined ? undefined : portOf(given);
  if (/^[\d./]+$/.test(host)) return { network: networkOf(host), port };
  const domain = host.replace(/^\*\./, '');
  if (/[^\0-\x7f]/.test(domain)) throw new TypeError('must be ASCII: write a domain as xn--…');
  const labels = domain.split('.');
  const isDomain = domain.length <= MAX_DOMAIN && labels.every((label) => LABEL.test(label));
  if (!isDomain || /^\d+$/.test(labels.at(-1) ?? '')) throw new TypeError(DESTINATION_FORM);
  return { domain, port };
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new TypeError('must have a port from 1 to 65535 after ":"');
}

function networkOf(text: string): string {
  try {
    parseCidr(text);
    return text;
  } catch {
    throw new TypeError(DESTINATION_FORM);
  }
}
