import { z } from 'zod';
import { flag, SnapshotName, Timestamp } from '../primitives.js';

/** The disk of a computer at one moment and, on some engines, its memory. */
export const Snapshot = z
  .object({
    name: z
      .string()
      .meta({ description: 'Unique among those of the computer.', examples: ['clean'] }),
    parent: z
      .string()
      .nullable()
      .meta({
        description:
          'Name of the snapshot that the computer was last saved as or reset to before; null for the first one.',
        examples: ['snap-1'],
      }),
    created_at: Timestamp.describe('When it was made.'),
    bytes: z
      .number()
      .int()
      .meta({ description: 'What it takes beyond its parent.', examples: [52428800] }),
    memory: z
      .boolean()
      .describe('Whether it has the memory of the computer, which then continues where it was.'),
    current: z
      .boolean()
      .describe('Whether the computer was last saved as or reset to this snapshot.'),
  })
  .meta({ id: 'Snapshot', description: 'A computer at one moment.' });

export const SnapshotList = z
  .object({ snapshots: z.array(Snapshot).describe('Oldest first.') })
  .meta({ id: 'SnapshotList', description: 'Snapshots of a computer.' });

export const CreateSnapshot = z
  .object({
    name: SnapshotName.optional().describe(
      'Unique among those of the computer. Without it the next free one of `snap-1`, `snap-2`, …',
    ),
    memory: flag()
      .optional()
      .describe(
        'Also saves the memory of a running computer, if its engine can. By default true, without volumes.',
      ),
  })
  .meta({ id: 'CreateSnapshot', description: 'A snapshot to make.' });

export type Snapshot = z.infer<typeof Snapshot>;
export type CreateSnapshot = z.infer<typeof CreateSnapshot>;
