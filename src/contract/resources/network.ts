import { z } from 'zod';
import { DESTINATION_FORM, MAX_DOMAIN, parseDestination } from '../../lib/net/destination.js';
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
