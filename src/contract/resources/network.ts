import { z } from 'zod';
import { parseCidr } from '../../lib/net/cidr.js';

/** Entries of an allow list at most. */
const MAX_ALLOWED = 64;
/** Characters of a domain at most. */
const MAX_DOMAIN = 253;

/** What an entry of an allow list opens: a network, or a domain and all names below it. */
export type Destination = (
  | { readonly domain: string }
  /** In CIDR notation. */
  | { readonly network: string }
) & {
  /** The only TCP and UDP port; undefined for everything. */
  readonly port: number | undefined;
};

const FORM = 'must be a domain, an IPv4 address or an IPv4 network, such as "example.com:443"';
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
  if (!isDomain || /^\d+$/.test(labels.at(-1) ?? '')) throw new TypeError(FORM);
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
    throw new TypeError(FORM);
  }
}

const Entry = z
  .string({ error: FORM })
  .max(MAX_DOMAIN + 8, { error: FORM, abort: true })
  .superRefine((entry, { addIssue }) => {
    try {
      parseDestination(entry);
    } catch (error) {
      addIssue({ code: 'custom', message: (error as TypeError).message });
    }
  });

const COUNT = `must have 1 to ${MAX_ALLOWED} entries`;
const POLICY = 'must be "internet", "none" or {"allow": ["example.com", "203.0.113.0/24"]}';

/** What a computer may reach. */
export const ComputerNetwork = z
  .union(
    [
      z.enum(['internet', 'none']),
      z.strictObject({
        allow: z
          .array(Entry, { error: 'must be a list of texts' })
          .min(1, COUNT)
          .max(MAX_ALLOWED, { error: COUNT, abort: true })
          .describe('Domains, IPv4 addresses and IPv4 networks, each with or without a port.'),
      }),
    ],
    {
      error: ({ input, errors }) => {
        const isList = typeof input === 'object' && input !== null && 'allow' in input;
        const [issue] = isList ? (errors?.at(-1) ?? []) : [];
        if (issue === undefined || issue.path.length === 0) return POLICY;
        return `is wrong at ${issue.path.join('.')}, which ${issue.message}`;
      },
    },
  )
  .meta({
    description:
      'What the computer may reach, within what the service allows all computers: `internet`; `none`; or the entries of a list and nothing else. `example.com` and `*.example.com` both allow that domain and all names below it; `203.0.113.0/24` a network; `db.example.com:5432` only that TCP and UDP port.',
    examples: [{ allow: ['example.com', '*.debian.org', '203.0.113.0/24', 'db.example.com:5432'] }],
  });

export type ComputerNetwork = z.output<typeof ComputerNetwork>;
