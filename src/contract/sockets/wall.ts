import { z } from 'zod';
import { COMPUTER_STATUSES } from '../constants.js';
import { integer, queryNumber } from '../primitives.js';
import { Computer } from '../resources/computers.js';

const seq = z
  .number()
  .int()
  .meta({
    description: 'Grows when the picture of the screen changes: the time to get another thumbnail.',
    examples: [3],
  });
const id = z.string().meta({ description: 'Id of the computer.', examples: ['cmp_7f3k2m9q4w8e'] });
const type = <const Type extends string>(name: Type) =>
  z.literal(name).describe('Kind of the message.');

export const WallComputer = Computer.extend({
  seq,
  captures: z
    .array(z.enum(['recording', 'stream']))
    .describe('Where the pictures of its screen go to now: into a video, to a target of a stream.'),
  viewers: z.array(z.string().nullable()).meta({
    description: 'Name of the API key of each live view that is open.',
    examples: [['laptop', 'guest']],
  }),
}).meta({
  id: 'WallComputer',
  description: 'A computer, the number of its picture, and who sees its screen.',
});

export const WallQuery = z.object({
  pictures: queryNumber(integer(0, 2))
    .default(0)
    .describe(
      'Thumbnails of the first so many running computers follow the first list, each as a binary message: one byte with its place among them, from 0, and a JPEG. Without the JPEG if the screen did not answer within a second.',
    ),
});

/**
 * A message of the service on `GET /wall`: first the list of all computers that the key may see, then
 * each change. The client sends nothing.
 */
export const WallMessage = z
  .discriminatedUnion('type', [
    z
      .object({ type: type('list'), computers: z.array(WallComputer).describe('Oldest first.') })
      .describe('All computers: the first message, and again after the client was slow.'),
    z
      .object({ type: type('computer'), computer: WallComputer })
      .describe('A new computer, or one that has changed.'),
    z
      .object({
        type: type('change'),
        id,
        status: z.enum(COMPUTER_STATUSES).describe('Its status.'),
        seq,
      })
      .describe('The picture of a computer has changed.'),
    z.object({ type: type('removed'), id }).describe('A computer was deleted.'),
  ])
  .meta({ id: 'WallMessage', description: 'A message of the service about its computers.' });

export type WallComputer = z.infer<typeof WallComputer>;
export type WallMessage = z.infer<typeof WallMessage>;
