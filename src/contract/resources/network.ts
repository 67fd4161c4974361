import { z } from 'zod';
import { DESTINATION_FORM, MAX_DOMAIN, parseDestination } from '../../lib/net/destination.js';
import { DELAY, DELAY_FORM, RATE, RATE_FORM } from '../../lib/net/throttle.js';
import { Timestamp } from '../primitives.js';

/** Entries of an allow list at most. */
const MAX_ALLOWED = 64;

const Entry = z
  .string({ error: DESTINATION_FORM })
  .max(MAX_DOMAIN + 8, { error: DESTINATION_FORM, abort: true })
  .superRefine((entry, { addIssue }) => {
    try {
      parseDestination(entry);
    } catch (error) {
      addIssue({ code: 'custom', message: (error as TypeError).message });
    }
  });

const COUNT = `must have 1 to ${MAX_ALLOWED} entries`;
const POLICY =
  'must be "internet", "none" or {"allow": ["example.com", "203.0.113.0/24"]}, or throttled {"internet": true, "rate": "1mbit"}';

const throttle = {
  rate: z
    .string(RATE_FORM)
    .regex(RATE, RATE_FORM)
    .optional()
    .meta({
      description: 'Bits per second, of what it receives and of what it sends.',
      examples: ['1mbit'],
    }),
  delay: z
    .string(DELAY_FORM)
    .regex(DELAY, DELAY_FORM)
    .optional()
    .meta({ description: 'What is added to each round trip.', examples: ['200ms'] }),
};

/** What a computer may reach. */
export const ComputerNetwork = z
  .union(
    [
      z.enum(['internet', 'none']),
      z
        .strictObject({
          internet: z.literal(true, 'must be true').optional().describe('In place of a list.'),
          allow: z
            .array(Entry, { error: 'must be a list of texts' })
            .min(1, COUNT)
            .max(MAX_ALLOWED, { error: COUNT, abort: true })
            .optional()
            .describe('Domains, IPv4 addresses and IPv4 networks, each with or without a port.'),
          ...throttle,
        })
        .refine(
          ({ internet, allow }) => (internet === undefined) !== (allow === undefined),
          POLICY,
        ),
    ],
    {
      error: ({ input, errors }) => {
        const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
        const [issue] = isObject ? (errors?.at(-1) ?? []) : [];
        if (issue === undefined || issue.path.length === 0) return POLICY;
        return `is wrong at ${issue.path.join('.')}, which ${issue.message}`;
      },
    },
  )
  .meta({
    description:
      'What the computer may reach, within what the service allows all computers: `internet`; `none`; or the entries of a list and nothing else. `example.com` and `*.example.com` both allow that domain and all names below it; `203.0.113.0/24` a network; `db.example.com:5432` only that TCP and UDP port. `rate` and `delay` throttle a list, or with `internet: true` everything.',
    examples: [
      { allow: ['example.com', '*.debian.org', '203.0.113.0/24', 'db.example.com:5432'] },
      { internet: true, rate: '1mbit', delay: '200ms' },
    ],
  });

export type ComputerNetwork = z.output<typeof ComputerNetwork>;

/** The entries of its list; undefined without one. */
export function allowedBy(network: ComputerNetwork): readonly string[] | undefined {
  return typeof network === 'object' ? network.allow : undefined;
}

/** Whether it restricts what the computer reaches. */
export function isRestricted(network: ComputerNetwork): boolean {
  return network === 'none' || allowedBy(network) !== undefined;
}

const RefusedName = z
  .object({
    name: z.string().meta({ description: 'In lower case.', examples: ['example.net'] }),
    at: Timestamp.describe('When it was last asked for.'),
    count: z
      .number()
      .int()
      .meta({ description: 'How often it was asked for.', examples: [3] }),
  })
  .meta({ id: 'RefusedName', description: 'A name that was not resolved.' });

export type RefusedName = z.output<typeof RefusedName>;

export const NetworkReport = z
  .object({
    network: ComputerNetwork,
    refused: z
      .array(RefusedName)
      .describe(
        'The names that a list with domains has not resolved since it was set or the computer started, the last first; at most 50.',
      ),
  })
  .meta({
    id: 'NetworkReport',
    description: 'What a computer may reach, and what it was refused.',
  });

export type NetworkReport = z.output<typeof NetworkReport>;
