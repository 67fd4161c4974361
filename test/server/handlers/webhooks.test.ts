import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeAll(async () => {
  const lookup = async (host: string) => (host === 'inside.example.com' ? ['10.0.0.1'] : [host]);
  app = await openTestApp({ webhooks: { lookup } });
});
afterAll(() => app.close());

const url = 'https://8.8.8.8/hook';
const create = (body: unknown) => app.send('POST', '/api/webhooks', { body });

test.each([
  ['no URL', { events: ['*'] }, /^url is missing/],
  ['another scheme', { url: 'ftp://example.com/', events: ['*'] }, /http or https/],
  ['no scheme', { url: 'example.com/hook', events: ['*'] }, /http or https/],
  ['a space', { url: 'https://example.com/a b', events: ['*'] }, /http or https/],
  ['no host', { url: 'https://', events: ['*'] }, /http or https/],
  ['a password', { url: 'https://me:s3cret@example.com/', events: ['*'] }, /no user name/],
  ['a fragment', { url: `${url}#part`, events: ['*'] }, /no fragment/],
  ['port 0', { url: 'https://8.8.8.8:0/', events: ['*'] }, /port from 1/],
  ['a long URL', { url: url + 'x'.repeat(3000), events: ['*'] }, /2048 characters/],
  ['no events', { url }, /^events is missing/],
  ['an empty list', { url, events: [] }, /at least one/],
  ['many events', { url, events: Array(40).fill('*') }, /at most 18/],
  ['an unknown event', { url, events: ['computer.exploded'] }, /^events\.0 must be a type/],
  ['an unknown group', { url, events: ['computer.*', 'machine.*'] }, /^events\.1 must be/],
  ['half a name', { url, events: ['comp*'] }, /^events\.0 must be/],
  ['a number', { url, events: [5] }, /^events\.0 must be/],
  ['another field', { url, events: ['*'], secret: 'mine' }, /no field "secret"/],
  ['loopback', { url: 'http://127.1/', events: ['*'] }, /127\.0\.0\.1.*--allow-private-targets/],
  ['a mapped address', { url: 'http://[::ffff:10.0.0.1]/', events: ['*'] }, /--allow-private-/],
  ['a private name', { url: 'http://inside.example.com/', events: ['*'] }, /10\.0\.0\.1/],
])('%s is refused', async (_, body, error) => {
  const { status, json } = await create(body);
  expect(status).toBe(400);
  expect(json.error).toMatch(error);
  expect(JSON.stringify(json)).not.toContain('s3cret');
  expect((await app.send('GET', '/api/webhooks')).json).toEqual({ webhooks: [] });
});

test('the audit log names the webhook, and not its URL', async () => {
  const { json } = await create({ url: `${url}?token=s3cret`, events: ['project.*'] });
  await app.send('DELETE', `/api/webhooks/${json.id}`);
  expect((await app.send('DELETE', `/api/webhooks/${json.id}`)).status).toBe(404);
  const { entries } = (await app.send('GET', '/api/audit')).json as {
    entries: { action: string; detail: object }[];
  };
  expect(entries.find(({ action }) => action === 'createWebhook')?.detail).toMatchObject({
    id: json.id,
  });
  expect(JSON.stringify(entries)).not.toContain('s3cret');
});
