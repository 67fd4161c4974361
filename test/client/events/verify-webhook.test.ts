import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../../../src/client/index.js';

// The example of https://github.com/standard-webhooks/standard-webhooks
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = '{"test": 2432232314}';
const HEADERS = {
  'Webhook-Id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1a,x v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const whenever = { tolerance: Number.POSITIVE_INFINITY };

describe('verifyWebhook', () => {
  it('accepts the message of the specification', async () => {
    for (const body of [BODY, new TextEncoder().encode(BODY)]) {
      for (const headers of [HEADERS, new Headers(HEADERS)]) {
        expect(await verifyWebhook(body, headers, SECRET, whenever)).toEqual({ test: 2432232314 });
      }
    }
  });

  it.each([
    ['another body', `${BODY} `, {}, SECRET],
    ['another id', BODY, { 'Webhook-Id': 'msg_other' }, SECRET],
    ['another time', BODY, { 'webhook-timestamp': '1614265331' }, SECRET],
    ['no time', BODY, { 'webhook-timestamp': 'now' }, SECRET],
    ['an empty signature', BODY, { 'webhook-signature': 'v1,' }, SECRET],
    ['several headers', BODY, { 'webhook-signature': ['v1,a', 'v1,b'] }, SECRET],
    ['another secret', BODY, {}, 'whsec_AAAA'],
    ['no secret', BODY, {}, 'no secret'],
  ])('refuses %s', async (_, body, headers, secret) => {
    await expect(
      verifyWebhook(body, { ...HEADERS, ...headers }, secret, whenever),
    ).rejects.toBeInstanceOf(WebhookVerificationError);
  });

  it('refuses an old message, and one without its headers', async () => {
    await expect(verifyWebhook(BODY, HEADERS, SECRET)).rejects.toThrow('webhook-timestamp');
    await expect(verifyWebhook(BODY, {}, SECRET)).rejects.toThrow('no header webhook-id');
  });
});
