import { z } from 'zod';
import { integer, queryNumber } from '../primitives.js';

const Named = z.object({
  id: z.string().meta({ description: 'Its id.', examples: ['prj_2m9q4w8e1r6t5y0b7f3k'] }),
  name: z
    .string()
    .nullable()
    .meta({
      description: 'Its name, or its last one if it was deleted; null if that is not known.',
      examples: ['shop'],
    }),
  deleted: z.boolean().meta({ description: 'Whether it was deleted.', examples: [false] }),
});
const amount = (description: string, example: number) =>
  z
    .number()
    .int()
    .meta({ description, examples: [example] });

export const UsageQuery = z.object({
  days: queryNumber(integer(1, 90))
    .default(30)
    .describe('Days with an entry to show, the newest ones.'),
});

export const UsageDay = z
  .object({
    date: z.string().meta({ description: 'The day, in UTC.', examples: ['2026-11-23'] }),
    key: Named.describe('The API key: of computer time, the one that created the computer.'),
    project: Named.nullable().describe('The project; null for what belongs to none.'),
    computers: amount('Computers that were created.', 2),
    computer_seconds: amount('Seconds in which computers ran, added up.', 7200),
    actions: amount('Actions in the audit log.', 340),
    bytes: amount('Bytes that were sent and received over HTTP and WebSockets.', 1_048_576),
  })
  .meta({ id: 'UsageDay', description: 'What an API key used in a project on a day.' });

export const UsageReport = z
  .object({
    days: z.array(UsageDay).describe('Newest first, at most 10,000.'),
    limits: z
      .object({
        max_running: amount('Computers that may run at once.', 2),
        max_storage: amount('GB that snapshots, images and volumes may take.', 50),
      })
      .describe('Limits of the owner.'),
    now: z
      .object({
        running: amount('Computers that run.', 1),
        storage_bytes: amount('What snapshots, images and volumes take.', 52_428_800),
        build_cache_bytes: amount(
          'What of it the cache of image builds takes, which `DELETE /build-cache` removes.',
          16_777_216,
        ),
      })
      .describe('The present.'),
  })
  .meta({ id: 'UsageReport', description: 'What was used, by day, API key and project.' });

export type UsageDay = z.infer<typeof UsageDay>;
