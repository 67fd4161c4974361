import type { Handlers } from './handlers.js';

type Names =
  | 'listWebhooks'
  | 'createWebhook'
  | 'getWebhook'
  | 'deleteWebhook'
  | 'testWebhook'
  | 'listDeliveries';

export const webhookHandlers: Pick<Handlers, Names> = {
  listWebhooks: ({ fleet, owner }) => ({ webhooks: fleet.webhooks.list(owner) }),
  createWebhook: ({ fleet, owner, body, stillAllowed }) =>
    fleet.webhooks.create(owner, body, stillAllowed),
  getWebhook: ({ fleet, owner, params }) => fleet.webhooks.get(owner, params.webhook ?? ''),
  deleteWebhook: ({ fleet, owner, params }) => {
    fleet.webhooks.remove(owner, params.webhook ?? '');
    return { success: true };
  },
  testWebhook: ({ fleet, owner, params }) => fleet.webhooks.test(owner, params.webhook ?? ''),
  listDeliveries: ({ fleet, owner, params }) => ({
    deliveries: fleet.webhooks.deliveries(owner, params.webhook ?? ''),
  }),
};
