import { z } from 'zod';
import { EVENT_PATTERNS } from '../constants.js';
import { Timestamp, upTo } from '../primitives.js';

const NO_URL = 'must be an http or https URL';

/** The service validates the rest of the URL when it parses it. */
const Url = upTo(2048, z.string({ error: NO_URL }))
  .min(1, NO_URL)
  .meta({
    description:
      'Where events are posted: an `http` or `https` URL without user name, password and fragment.',
    examples: ['https://app.example.com/hooks/vc'],
  });

const Events = z
  .array(
    z.enum(EVENT_PATTERNS, { error: 'must be a type of events, such as "job.exited", or "*"' }),
    { error: 'must be a list of types of events' },
  )
  .min(1, 'must have at least one type of events')
  .max(EVENT_PATTERNS.length, `must have at most ${EVENT_PATTERNS.length} types of events`)
  .meta({
    description: 'Types of the events that are sent; `computer.*` stands for several, `*` for all.',
    examples: [['computer.*']],
  });

export const CreateWebhook = z
  .object({ url: Url, events: Events })
  .meta({ id: 'CreateWebhook', description: 'A webhook to create.' });

export const Webhook = z
  .object({
    id: z
      .string()
      .meta({ description: 'Id of the webhook.', examples: ['whk_7f3k2m9q4w8e1r6t5y0b'] }),
    url: z.string().meta({
      description: 'Where events are posted; empty if the key that encrypted it is gone.',
      examples: ['https://app.example.com/hooks/vc'],
    }),
    events: Events,
    status: z
      .enum(['active', 'disabled'])
      .describe('`disabled` once the target has answered 410: nothing is sent any more.'),
    pending: z
      .number()
      .int()
      .meta({ description: 'Deliveries to come.', examples: [0] }),
    created_at: Timestamp.describe('When the webhook was created.'),
  })
  .meta({ id: 'Webhook', description: 'A target to which events of the owner are posted.' });

export const CreatedWebhook = Webhook.extend({
  secret: z.string().meta({
    description: 'The key of the signatures, as in Standard Webhooks. It is shown only once.',
    examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  }),
}).meta({ id: 'CreatedWebhook', description: 'A webhook with its secret.' });

export const WebhookList = z
  .object({ webhooks: z.array(Webhook).describe('Oldest first.') })
  .meta({ id: 'WebhookList', description: 'Webhooks of the owner.' });

export const Delivery = z
  .object({
    id: z.string().meta({
      description: 'Id of the message, in the header `webhook-id` of each attempt.',
      examples: ['msg_7f3k2m9q4w8e1r6t5y0b'],
    }),
    type: z
      .string()
      .meta({ description: 'Type of the event, or `test`.', examples: ['computer.status'] }),
    at: Timestamp.describe('When the event happened.'),
    status: z
      .enum(['pending', 'delivered', 'failed'])
      .describe('`failed` when no attempt is left, or the webhook is disabled.'),
    attempts: z
      .number()
      .int()
      .meta({ description: 'Requests that were sent.', examples: [1] }),
    status_code: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Status of the last answer; null without one.', examples: [200] }),
    error: z
      .string()
      .nullable()
      .meta({
        description: 'Why the last attempt failed; null if it did not.',
        examples: ['The target answered 500.'],
      }),
    next_attempt_at: Timestamp.nullable().describe('When it is tried again; null if it is not.'),
  })
  .meta({ id: 'Delivery', description: 'An event that is posted to a webhook.' });

export const DeliveryList = z
  .object({ deliveries: z.array(Delivery).describe('Newest first.') })
  .meta({ id: 'DeliveryList', description: 'The newest deliveries of a webhook.' });

export type CreateWebhook = z.infer<typeof CreateWebhook>;
export type Webhook = z.infer<typeof Webhook>;
export type CreatedWebhook = z.infer<typeof CreatedWebhook>;
export type Delivery = z.infer<typeof Delivery>;
