import { z } from 'zod';
import { ROLES } from '../constants.js';
import { exactlyOne, flag, Timestamp } from '../primitives.js';
import { KeyInUse } from '../resources/keys.js';

/** A link that opens the web page with a session of the same key. */
export const Login = z
  .object({
    token: z.string().meta({
      description: 'What the link contains. It works once.',
      examples: ['vl_0123456789abcdefghjkmnpqrstvwxyz'],
    }),
    url: z.string().meta({
      description: 'The link. The token is in the fragment, which browsers do not send.',
      examples: ['http://127.0.0.1:4700/#login=vl_0123456789'],
    }),
    expires_at: Timestamp.describe('Until when it can be opened.'),
  })
  .meta({ id: 'Login', description: 'A single-use link to the web page.' });

export const CreateSession = z
  .object({
    login: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'The token of a link.', examples: ['vl_0123456789'] }),
    key: z
      .string()
      .max(256)
      .optional()
      .meta({ description: 'An API key.', examples: ['vc_0123456789'] }),
    replace: flag()
      .default(false)
      .describe('Opens it also if the browser has an open session of another API key, which ends.'),
  })
  .refine(({ login, key }) => (login === undefined) !== (key === undefined), {
    message: 'must be the only one of login and key',
    path: ['login'],
  })
  .meta({
    id: 'CreateSession',
    ...exactlyOne('login', 'key'),
    description: 'Exactly one of `login` and `key`, and how.',
  });

/** A session of the web page. Its secret is in a cookie that scripts cannot read. */
export const Session = z
  .object({
    owner: z
      .object({
        id: z
          .string()
          .meta({ description: 'Id of the owner.', examples: ['usr_9q4w8e1r6t5y0b7f3k2m'] }),
        name: z
          .string()
          .meta({ description: 'Name of the owner.', examples: ['alice@example.com'] }),
        role: z.enum(ROLES).describe('An `administrator` manages the owners of the service.'),
      })
      .describe('The owner of the key.'),
    key: KeyInUse.describe('The API key that it was opened with, and ends with.'),
    has_members: flag().describe(
      'Whether the service runs computers on a cluster whose members the session may list.',
    ),
    created_at: Timestamp.describe('When it was opened.'),
    expires_at: Timestamp.describe('When it ends at the latest.'),
  })
  .meta({ id: 'Session', description: 'A session of the web page.' });

export type Login = z.infer<typeof Login>;
export type Session = z.infer<typeof Session>;
