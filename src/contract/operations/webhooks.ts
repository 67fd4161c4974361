import { manage } from '../access/rights.js';
import { Success } from '../primitives.js';
import {
  CreatedWebhook,
  CreateWebhook,
  Delivery,
  DeliveryList,
  Webhook,
  WebhookList,
} from '../resources/webhooks.js';
import type { Operations } from './operation.js';

/** A URL often contains a secret of its service, so a key that only looks does not see them. */
export const webhooksOperations = {
  listWebhooks: {
    method: 'GET',
    paths: ['/webhooks'],
    tag: 'Events',
    summary: 'List webhooks',
    access: manage.owner,
    response: WebhookList,
  },
  createWebhook: {
    method: 'POST',
    paths: ['/webhooks'],
    tag: 'Events',
    summary: 'Create a webhook; its secret is shown once',
    description:
      'Events are posted as `{type, timestamp, data}`, signed as in Standard Webhooks; `data` is that of `GET /events`. What is not answered with 2xx within 10 s is tried again with growing pauses, for at most a day.',
    access: manage.owner,
    audit: 'webhook create',
    body: CreateWebhook,
    response: CreatedWebhook,
  },
  getWebhook: {
    method: 'GET',
    paths: ['/webhooks/:webhook'],
    tag: 'Events',
    summary: 'Get a webhook',
    access: manage.owner,
    response: Webhook,
  },
  deleteWebhook: {
    method: 'DELETE',
    paths: ['/webhooks/:webhook'],
    tag: 'Events',
    summary: 'Delete a webhook and its deliveries',
    access: manage.owner,
    audit: 'webhook rm',
    response: Success,
  },
  testWebhook: {
    method: 'POST',
    paths: ['/webhooks/:webhook/test'],
    tag: 'Events',
    summary: 'Post an event of the type `test` to a webhook, once',
    description: 'Answers when the target has answered, or the attempt has failed.',
    access: manage.owner,
    audit: 'webhook test',
    response: Delivery,
  },
  listDeliveries: {
    method: 'GET',
    paths: ['/webhooks/:webhook/deliveries'],
    tag: 'Events',
    summary: 'List the newest deliveries of a webhook',
    access: manage.owner,
    response: DeliveryList,
  },
} as const satisfies Operations;
