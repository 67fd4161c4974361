// @module-tag slow
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CreatedWebhook, CreateWebhook } from '../../../src/contract/resources.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';

let test: TestFleet;
let owner: Owner;
const servers: Server[] = [];

beforeEach(async () => {
  const webhooks = { attemptMs: 3_000, lookup: async () => ['127.0.0.1'] };
  test = await openTestFleet({ allowPrivateTargets: true, webhooks });
  owner = ownerOf(test.key);
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  await test.close();
});

function ownerOf(key: string): Owner {
  return test.fleet.apiKeys.authenticate(key) ?? { id: 'nobody', keyId: 'none' };
}

interface Received {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly json: { type: string; timestamp: string; data: Record<string, unknown> };
}

const none: Partial<Received> & Pick<Received, 'headers'> = { headers: {} };

/** A target that answers with these statuses in turn, and with the last one from then on. */
async function target(...statuses: number[]) {
  const received: Received[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      received.push({ headers: request.headers, body, json: JSON.parse(body) });
      response.statusCode = statuses[Math.min(received.length, statuses.length) - 1] ?? 200;
      response.setHeader('location', '/elsewhere');
      response.end();
    });
  };
  return { received, url: await listen(listener) };
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=1`;
}

function create(
  url: string,
  events: CreateWebhook['events'] = ['project.*'],
  of = owner,
): Promise<CreatedWebhook> {
  return test.fleet.webhooks.create(of, { url, events }, () => undefined);
}

const deliveries = ({ id }: { id: string }) => test.fleet.webhooks.deliveries(owner, id);

it('posts signed events of the wanted types of its owner only', async () => {
  const { received, url } = await target(204);
  const { id, secret } = await create(url);
  test.fleet.projects.create(ownerOf(test.addOwner('other')), 'theirs');
  const record = test.fleet.projects.create(owner, 'mine');
  await vi.waitFor(() => expect(received).toHaveLength(1));
  const [{ headers, body, json } = none] = received;
  expect(json).toMatchObject({
    type: 'project.created',
    data: { type: 'project.created', id: record.id, name: 'mine' },
  });
  expect(json?.timestamp).toBe(json?.data.at);
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(signed).digest('base64');
  expect(headers['webhook-signature']).toBe(`v1,${signature}`);
  await vi.waitFor(() =>
    expect(deliveries({ id })).toEqual([
      {
        id: headers['webhook-id'],
        type: 'project.created',
        at: json?.timestamp,
        status: 'delivered',
        attempts: 1,
        status_code: 204,
        error: null,
        next_attempt_at: null,
      },
    ]),
  );
});

it('keeps the secret and the URL encrypted, and shows the secret once', async () => {
  const { url } = await target();
  const { secret, ...shown } = await create(url);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(test.fleet.webhooks.list(owner)).toEqual([shown]);
  expect(shown).toMatchObject({ url, events: ['project.*'], status: 'active', pending: 0 });
  for (const file of ['vc.db', 'vc.db-wal']) {
    const bytes = readFileSync(join(test.directory, file));
    expect([bytes.includes(secret), bytes.includes('token=1')], file).toEqual([false, false]);
  }
  rmSync(join(test.directory, 'secret.key'));
  test = await test.restart();
  expect(test.fleet.webhooks.list(owner)).toMatchObject([{ url: '' }]);
});

it('tries again what was not taken, after a restart too, with the same id', async () => {
  const { received, url } = await target(500, 500, 200);
  const webhook = await create(url);
  test.fleet.projects.create(owner, 'mine');
  await vi.waitFor(() =>
    expect(deliveries(webhook)).toMatchObject([
      { status: 'pending', attempts: 1, status_code: 500, error: 'The target answered 500.' },
    ]),
  );
  test = await test.restart();
  await vi.waitFor(() => expect(received).toHaveLength(2), 5_000);
  test.fleet.projects.create(owner, 'another');
  await vi.waitFor(() => expect(received).toHaveLength(3));
  // The first is due in five seconds; the second did not wait for it.
  expect(received.map(({ json }) => json.data.name)).toEqual(['mine', 'mine', 'another']);
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  await vi.waitFor(() => expect(test.fleet.webhooks.get(owner, webhook.id).pending).toBe(1));
});

it('posts what happened while the service did not run', async () => {
  const { received, url } = await target();
  await create(url);
  test.fleet.projects.create(owner, 'mine');
  // Nothing of it is sent before the service ends.
  test = await test.restart();
  await vi.waitFor(() => expect(received.length).toBeGreaterThan(0));
  expect(received.at(-1)?.json.data.name).toBe('mine');
});

it('reports a target that redirects, hangs, or whose answer has no end', async () => {
  const redirecting = await target(302);
  let hangs = 0;
  const hanging = await listen(() => {
    hangs += 1;
  });
  const endless = await listen((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
    };
    response.on('drain', more).on('error', () => undefined);
    more();
  });
  const unfinished = await listen((_, response) => void response.writeHead(200).flushHeaders());
  const outcomes = await Promise.all(
    [redirecting.url, hanging, endless, unfinished].map(async (url) => {
      const { id } = await create(url);
      return test.fleet.webhooks.test(owner, id);
    }),
  );
  expect(outcomes).toMatchObject(
    [
      { status: 'failed', status_code: 302, error: /not followed/ },
      { status: 'failed', status_code: null, error: /does not answer/ },
      { status: 'delivered', status_code: 200, error: null },
      { status: 'delivered', status_code: 200, error: null },
    ].map(({ error, ...rest }) => ({
      ...rest,
      error: error === null ? null : expect.stringMatching(error),
    })),
  );
  expect([redirecting.received.length, hangs]).toEqual([1, 1]);
  expect(redirecting.received[0]?.json).toMatchObject({ type: 'test', data: { type: 'test' } });
});

it('lets a slow target delay no other webhook', async () => {
  await create(await listen(() => undefined));
  const { received, url } = await target();
  await create(url);
  for (let i = 0; i < 5; i++) test.fleet.projects.create(owner, `p${i}`);
  await vi.waitFor(() => expect(received).toHaveLength(5), 1_000);
});

it('disables a webhook whose target has answered 410', async () => {
  const { received, url } = await target(410);
  const webhook = await create(url);
  test.fleet.projects.create(owner, 'one');
  await vi.waitFor(() =>
    expect(test.fleet.webhooks.get(owner, webhook.id)).toMatchObject({
      status: 'disabled',
      pending: 0,
    }),
  );
  test.fleet.projects.create(owner, 'two');
  await expect(test.fleet.webhooks.test(owner, webhook.id)).rejects.toMatchObject({
    code: 'conflict',
  });
  test = await test.restart();
  expect(received).toHaveLength(1);
  expect(deliveries(webhook)).toMatchObject([{ status: 'failed', status_code: 410 }]);
});

it('keeps a bounded number of deliveries, and loses no event', async () => {
  const { received, url } = await target(...Array<number>(3).fill(500), 200);
  const webhook = await create(url);
  for (let i = 0; i < 110; i++) test.fleet.projects.create(owner, `p${i}`);
  expect(test.fleet.webhooks.get(owner, webhook.id).pending).toBeLessThanOrEqual(100);
  const names = () => new Set(received.map(({ json }) => json.data.name));
  await vi.waitFor(() => expect(names().size).toBe(110), 30_000);
  await vi.waitFor(() => expect(deliveries(webhook)).toHaveLength(100), 30_000);
}, 60_000);

it('says that events are missing if they are no longer kept', async () => {
  const { received, url } = await target();
  await create(url);
  vi.spyOn(test.store.events, 'droppedUpTo').mockReturnValueOnce(Number.MAX_SAFE_INTEGER);
  test.fleet.projects.create(owner, 'missed');
  await vi.waitFor(() => expect(received).toHaveLength(1));
  expect(received[0]?.json).toMatchObject({ type: 'reset', data: { type: 'reset' } });
  test.fleet.projects.create(owner, 'seen');
  await vi.waitFor(() => expect(received).toHaveLength(2));
  expect(received[1]?.json.data.name).toBe('seen');
});

it('is refused for a target that is not on the public internet', async () => {
  await test.close();
  const names: Readonly<Record<string, string>> = {
    'public.example.com': '93.184.215.14',
    'private.example.com': '10.1.2.3',
  };
  const lookup = async (host: string) => [names[host] ?? host];
  test = await openTestFleet({ webhooks: { lookup } });
  owner = ownerOf(test.key);
  for (const host of [
    '127.0.0.1',
    '192.168.1.1',
    '169.254.169.254',
    'private.example.com',
    '[::1]',
    '[::ffff:10.0.0.1]',
    '[fe80::1]',
  ]) {
    const refused = {
      code: 'invalid_request',
      message: expect.stringContaining('--allow-private-targets'),
    };
    await expect(create(`https://${host}/`), host).rejects.toMatchObject(refused);
  }
  expect(test.fleet.webhooks.list(owner)).toEqual([]);
  await create('https://public.example.com/');
});

it('checks the address again for each attempt', async () => {
  await test.close();
  let address = '93.184.215.14';
  const lookup = async () => [address];
  test = await openTestFleet({ webhooks: { lookup, attemptMs: 300 } });
  owner = ownerOf(test.key);
  const { id } = await create('http://rebound.example.com/');
  address = '127.0.0.1';
  expect(await test.fleet.webhooks.test(owner, id)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('127.0.0.1, which is not on the public internet'),
  });
});

it('is limited in number, and seen by its owner only', async () => {
  const { url } = await target();
  for (let i = 0; i < 100; i++) await create(url);
  await expect(create(url)).rejects.toMatchObject({ code: 'limit_reached' });
  const [{ id } = { id: '' }] = test.fleet.webhooks.list(owner);
  const other = ownerOf(test.addOwner('other'));
  expect(test.fleet.webhooks.list(other)).toEqual([]);
  const missing = expect.objectContaining({ code: 'not_found' });
  expect(() => test.fleet.webhooks.get(other, id)).toThrow(missing);
  expect(() => test.fleet.webhooks.remove(other, id)).toThrow(missing);
  expect(() => test.fleet.webhooks.deliveries(other, id)).toThrow(missing);
  await expect(test.fleet.webhooks.test(other, id)).rejects.toThrow(missing);
  test.fleet.webhooks.remove(owner, id);
  expect(test.fleet.webhooks.list(owner)).toHaveLength(99);
});
