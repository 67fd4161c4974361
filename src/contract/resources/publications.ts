import { z } from 'zod';
import { EXPIRY_SECONDS } from '../constants.js';
import { flag, integer, Timestamp } from '../primitives.js';

const Port = integer(1, 65_535).meta({
  description: "TCP port on the computer's loopback.",
  examples: [8000],
});

export const CreatePublication = z
  .object({
    port: Port,
    public: flag()
      .default(false)
      .describe('Whether everyone who has the address can open it, without a ticket.'),
    expires_in: integer(EXPIRY_SECONDS.least, EXPIRY_SECONDS.most)
      .optional()
      .meta({ description: 'Seconds after which it ends. Without it never.', examples: [3600] }),
  })
  .meta({ id: 'CreatePublication', description: 'A port to publish.' });

export const Publication = z
  .object({
    port: Port,
    computer_id: z.string().describe('Id of the computer.'),
    computer: z.string().meta({ description: 'Name of the computer.', examples: ['desktop'] }),
    project: z
      .string()
      .meta({ description: "Name of the computer's project.", examples: ['demo'] }),
    public: z.boolean().describe('True if it needs no ticket.'),
    url: z.string().meta({
      description: 'Its address.',
      examples: ['http://8000-desktop-4q0c8m2x7k1v9z5t3r6w8y0b2d.localhost:4700/'],
    }),
    created_at: Timestamp.describe('When it was created.'),
    expires_at: Timestamp.nullable().describe('When it ends; null for never.'),
  })
  .meta({ id: 'Publication', description: 'A port of a computer with an address of its own.' });

export const CreatedPublication = Publication.extend({
  link: z.string().meta({
    description:
      'The address with its ticket, which is shown only once. It works until the publication ends. The same as `url` if it is public.',
    examples: [
      'http://8000-desktop-4q0c8m2x7k1v9z5t3r6w8y0b2d.localhost:4700/?vc_ticket=vt_0123456789abcdefghjkmnpqrstvwxyz',
    ],
  }),
}).meta({ id: 'CreatedPublication', description: 'A publication with its link.' });

export const PublicationList = z
  .object({ publications: z.array(Publication).describe('Sorted by project, computer and port.') })
  .meta({ id: 'PublicationList', description: 'Publications of the owner.' });

export type CreatePublication = z.output<typeof CreatePublication>;
export type Publication = z.output<typeof Publication>;
export type CreatedPublication = z.output<typeof CreatedPublication>;
