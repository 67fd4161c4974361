import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { targetFailed } from '../../broadcast/errors.js';
import { type AddressRules, dial, type Endpoint, resolveTarget } from '../../broadcast/index.js';
import { ApiError } from '../../contract/errors.js';
import { withDeadline } from '../../lib/async/deadline.js';
import type { WebhookSecret } from '../store/webhooks.js';

/** Milliseconds for an attempt: names, connection and answer. */
const ATTEMPT_MS = 10_000;
/** Bytes of an answer that are read; the rest is not waited for. */
const MOST_BYTES = 64 * 1024;

export interface Message {
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

export interface PostOptions {
  readonly rules: AddressRules;
  readonly signal: AbortSignal;
  readonly ms?: number | undefined;
}

/** Where a webhook's URL leads. Throws ApiError `invalid_request` without repeating it. */
export function endpointOf(text: string): Endpoint {
  const isWebUrl = /^https?:\/\/[^\s\p{Cc}]+$/u.test(text) && URL.canParse(text);
  if (!isWebUrl) throw wrongUrl('must be an http or https URL with a host');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw wrongUrl('must have no user name or password; verify the signature instead');
  }
  if (url.hash !== '' || url.port === '0') {
    throw wrongUrl('must have no fragment, and a port from 1 to 65535');
  }
  const secure = url.protocol === 'https:';
  return {
    secure,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    label: url.origin,
  };
}

/** Checks that the service may connect to the target. */
export async function checkTarget(
  url: string,
  { rules, signal, ms = ATTEMPT_MS }: PostOptions,
): Promise<void> {
  const endpoint = endpointOf(url);
  await withDeadline({ ms, signal, onTimeout: () => late(endpoint) }, (either) =>
    resolveTarget(endpoint, rules, either),
  );
}

/**
 * Posts a signed message once and resolves to the status of the answer, whatever that is. Redirects are
 * not followed. The name is resolved for this connection, which goes to an address that was checked.
 */
export async function post(
  { url, secret }: WebhookSecret,
  message: Message,
  { rules, signal, ms = ATTEMPT_MS }: PostOptions,
): Promise<number> {
  const endpoint = endpointOf(url);
  let status: number | undefined;
  const attempt = async (either: AbortSignal) => {
    const addresses = await resolveTarget(endpoint, rules, either);
    const socket = await dial(endpoint, addresses, either);
    try {
      const { host, pathname, search } = new URL(url);
      const sent = request({
        method: 'POST',
        path: pathname + search,
        headers: { host, ...headersOf(message, secret) },
        // Without an agent: one would make a connection of its own.
        createConnection: () => socket,
        signal: either,
      });
      // After the answer nothing else waits for it.
      sent.on('error', () => undefined);
      sent.end(message.body);
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      status = answer.statusCode ?? 0;
      await readSome(answer);
    } catch (cause) {
      throw failed(endpoint, 'it gave no HTTP answer', cause);
    } finally {
      socket.destroy();
    }
  };
  try {
    await withDeadline({ ms, signal, onTimeout: () => late(endpoint) }, attempt);
  } catch (error) {
    if (status === undefined) throw error;
  }
  return status ?? 0;
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
function headersOf({ id, body }: Message, secret: string): Record<string, string | number> {
  const timestamp = Math.floor(Date.now() / 1000);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'vc-webhooks',
    connection: 'close',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

async function readSome(answer: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length;
    if (bytes > MOST_BYTES) return;
  }
}

function wrongUrl(what: string): ApiError {
  return new ApiError('invalid_request', `url ${what}.`, {
    remedy: 'Use a URL like https://app.example.com/hooks/vc',
  });
}

function late(endpoint: Endpoint): ApiError {
  return failed(endpoint, 'it does not answer');
}

function failed({ label }: Endpoint, detail: string, cause?: unknown): ApiError {
  return targetFailed(label, detail, cause);
}
