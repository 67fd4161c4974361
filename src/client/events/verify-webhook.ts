import type { ServiceEvent } from '../../contract/types/index.js';

/** What is posted to a webhook. */
export interface WebhookMessage {
  readonly type: string;
  /** When the event happened. */
  readonly timestamp: string;
  /** The event as `vc.events()` has it, or that of a test. */
  readonly data: ServiceEvent | { readonly type: 'test'; readonly webhook_id: string };
}

/** Of Node.js, or of the Fetch API. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The message is not from the service, or too old. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * Verifies the signature of a message to a webhook (Standard Webhooks), and parses it. `body` has to be
 * exactly what was received: not parsed and written again.
 * @param secret as it was shown when the webhook was created: `whsec_…`
 * @param options `tolerance`: by how many seconds the time of the message may differ; 300 by default
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  { tolerance = 300 }: { readonly tolerance?: number } = {},
): Promise<WebhookMessage> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > tolerance) {
    throw new WebhookVerificationError('the header webhook-timestamp is not of the present');
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
  for (const signature of signatures) {
    const [version, given = ''] = signature.split(',');
    if (version !== 'v1' || !/^[A-Za-z0-9+/]{43}=$/.test(given)) continue;
    // Takes the same time wherever the signatures differ.
    if (await crypto.subtle.verify('HMAC', key, fromBase64(given), signed)) {
      return JSON.parse(text) as WebhookMessage;
    }
  }
  throw new WebhookVerificationError('no signature of the message is right');
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof value === 'string') return value;
  throw new WebhookVerificationError(`the message has no header ${name}`);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw new WebhookVerificationError('the secret is not that of a webhook: whsec_…');
  }
}
