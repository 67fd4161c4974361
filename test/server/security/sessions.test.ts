import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { Sessions } from '../../../src/fleet/accounts/sessions.js';
import { type Answer, openTestApp, type Sending, type TestApp } from '../../support/app.js';
import { openTestFleet } from '../../support/fleet.js';
import { routes } from '../../support/routes.js';
import { promise } from '../../support/run/promise.js';
import { PROXY_HOST } from '../../support/tls/proxy-host.js';

let app: TestApp;
let id: string;
/** What a browser sends with requests of the page. */
let page: Record<string, string>;

beforeAll(async () => {
  app = await openTestApp();
  await app.send('POST', '/api/projects', { body: { name: 'p' } });
  id = String(
    (await app.send('POST', '/api/projects/p/computers', { body: { name: 'a' } })).json.id,
  );
  page = {
    'sec-fetch-site': 'same-origin',
    origin: `http://127.0.0.1:${app.port}`,
    'content-type': 'application/json',
  };
});
afterAll(() => app.close());

const send = (method: string, path: string, options: Sending = {}) =>
  app.send(method, `/api${path}`, { authorization: null, ...options });

async function link(key = app.world.key): Promise<string> {
  const { json } = await send('POST', '/logins', { authorization: `Bearer ${key}` });
  return String(json.token);
}

const logIn = (body: unknown, headers = page) => send('POST', '/sessions', { body, headers });

function cookieOf({ headers }: Answer): string {
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

/** The cookie of a new session. */
async function open(key = app.world.key): Promise<string> {
  const answer = await logIn({ login: await link(key) });
  expect(answer.status, answer.text).toBe(200);
  return cookieOf(answer);
}

test('a link logs in once, and its session does what its key may do', async () => {
  const { json } = await send('POST', '/logins', { authorization: `Bearer ${app.world.key}` });
  expect(json.url).toBe(`http://127.0.0.1:${app.port}/#login=${json.token}`);
  const left = Date.parse(String(json.expires_at)) - Date.now();
  expect(left).toBeGreaterThan(4 * 60_000);
  expect(left).toBeLessThanOrEqual(5 * 60_000);
  const first = await logIn({ login: json.token });
  expect(first.json).toMatchObject({
    owner: { name: 'default', role: 'administrator' },
    key: { name: 'default', rights: 'manage', project: null, expires_at: null },
  });
  expect(String(first.headers['set-cookie'])).toMatch(
    new RegExp(`^vc_session_${app.port}=vs_[0-9a-z]{32}; Path=/; HttpOnly; SameSite=Strict$`),
  );
  expect(first.text).not.toContain('vs_');
  const again = await logIn({ login: json.token });
  expect([again.status, again.headers['set-cookie']]).toEqual([401, undefined]);
  const headers = { ...page, cookie: cookieOf(first) };
  expect((await send('GET', '/sessions/current', { headers })).json).toEqual(first.json);
  const created = await send('POST', '/projects', { headers, body: { name: 'by-page' } });
  expect(created.status).toBe(200);
});

test('an API key logs in, too; a wrong one, or both, do not', async () => {
  expect((await logIn({ key: app.world.key })).status).toBe(200);
  for (const [body, status] of [
    [{ key: `${app.world.key}0` }, 401],
    [{ key: '' }, 401],
    [{ login: 'vl_none' }, 401],
    [{ login: app.world.key }, 401],
    [{}, 400],
    [{ key: app.world.key, login: await link() }, 400],
    [{ key: ['x'] }, 400],
    [{ key: 'x'.repeat(600) }, 400],
    [{ key: 'x'.repeat(10_000) }, 413],
  ] as const) {
    const answer = await logIn(body);
    expect(answer.status, answer.text).toBe(status);
    expect(answer.headers['set-cookie']).toBeUndefined();
  }
});

test.each([
  ['cut off', '{"key": "x"'],
  ['trailing', '{"key": "x"} x'],
  ['a list', '[{"key": "x"}]'],
  ['null', 'null'],
  ['__proto__', '{"__proto__": {"key": "x"}, "key": "y"}'],
  ['deep', `${'['.repeat(400)}${']'.repeat(400)}`],
  ['an unknown field', '{"key": "x", "name": "y"}'],
  ['markup', JSON.stringify({ login: '<img src=x onerror=alert(1)>' })],
  ['bidi marks', JSON.stringify({ login: '\u202e\u2066vl_none' })],
  ['empty', ''],
])('a login whose body is hostile is refused, and never repeated: %s', async (_, body) => {
  const answer = await logIn(body);
  expect([400, 401], answer.text).toContain(answer.status);
  expect(answer.headers['set-cookie']).toBeUndefined();
  expect(answer.text).not.toMatch(/onerror|\u202e/);
});

test('a body in chunks, of unknown length, is refused before it is read', async () => {
  const head = Object.entries({ host: `127.0.0.1:${app.port}`, ...page }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const request = `POST /api/sessions HTTP/1.1\r\n${head.join('')}Transfer-Encoding: chunked\r\n\r\n`;
  expect(await app.raw(request)).toMatch(/^HTTP\/1\.1 400 /);
});

test('names with markup, bidi marks and 10,000 characters are text, or refused', async () => {
  const authorization = `Bearer ${app.world.key}`;
  const markup = '<script>alert(1)</script>\u202egnp.exe';
  const created = await send('POST', '/keys', { authorization, body: { name: markup } });
  expect(created.json.name).toBe(markup);
  const headers = { ...page, cookie: await open(String(created.json.key)) };
  const asked = await send('GET', '/sessions/current', { headers });
  expect(asked.json).toMatchObject({ key: { name: markup } });
  expect(asked.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(asked.headers['x-content-type-options']).toBe('nosniff');
  const long = { name: 'x'.repeat(10_000) };
  expect((await send('POST', '/keys', { authorization, body: long })).status).toBe(400);
  const path = `/keys/${created.json.id}`;
  expect((await send('PATCH', path, { authorization, body: long })).status).toBe(400);
});

test('under TLS the cookie is for this host and TLS alone', async () => {
  const origin = `https://${PROXY_HOST}`;
  const headers = { ...page, host: PROXY_HOST, origin, 'x-forwarded-proto': 'https' };
  const answer = await logIn({ key: app.world.key }, headers);
  expect(String(answer.headers['set-cookie'])).toMatch(
    /^__Host-vc_session_443=vs_[0-9a-z]{32}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  );
});

promise(
  5,
  'a cookie alone works for nothing that another page could send',
  async (report) => {
    const cookie = await open();
    const foreign: Record<string, Record<string, string>> = {
      'the cookie alone': {},
      'a page on another port': { 'sec-fetch-site': 'same-site' },
      'a page of another site': { 'sec-fetch-site': 'cross-site' },
      'a form of another port': {
        'sec-fetch-site': 'same-site',
        'content-type': 'application/x-www-form-urlencoded',
      },
      'JSON from another port': {
        'sec-fetch-site': 'same-site',
        'content-type': 'application/json',
      },
      'a claim without an origin': { 'content-type': 'application/json' },
    };
    let requests = 0;
    for (const { method, path, open: isOpen, upgrade } of routes) {
      if (isOpen || upgrade) continue;
      const target = path.replaceAll(/:\w+/g, 'none').replace('*', 'none');
      for (const [what, headers] of Object.entries(foreign)) {
        const answer = await send(method, target, { headers: { cookie, ...headers } });
        expect(answer.status, `${method} ${path}: ${what}`).toBe(401);
        requests += 1;
      }
    }
    report(`${requests} requests with a cookie, all 401`);
  },
  120_000,
);

test.each([
  ['a form', 'application/x-www-form-urlencoded'],
  ['plain text', 'text/plain'],
  ['a multipart form', 'multipart/form-data; boundary=x'],
  ['no type', ''],
])('a write of the page as %s is refused', async (_, type) => {
  const headers = { ...page, cookie: await open(), 'content-type': type };
  const answer = await send('POST', '/projects', { headers, body: '{"name":"form"}' });
  expect(answer.status).toBe(401);
  expect((await logIn('{"key":"x"}', headers)).status).toBe(401);
});

test('where browsers do not tell the site, the origin of a write and a header of a read do', async () => {
  const { 'sec-fetch-site': _, origin = '', ...rest } = page;
  const cookie = await open();
  const write = (headers: Record<string, string>) =>
    send('POST', '/projects', { headers: { ...rest, cookie, ...headers }, body: {} });
  expect((await write({ origin })).status).toBe(400);
  expect((await write({ 'x-vc-page': '1' })).status).toBe(401);
  const read = (headers: Record<string, string>) =>
    send('GET', '/me', { headers: { ...rest, cookie, ...headers } });
  expect((await read({ 'x-vc-page': '1' })).status).toBe(200);
  expect((await read({})).status).toBe(401);
  expect((await read({ 'sec-fetch-site': 'none' })).status).toBe(200);
});

test('a WebSocket by cookie needs the origin of the service', async () => {
  const cookie = await open();
  const url = `ws://127.0.0.1:${app.port}/api/computers/${id}/process`;
  const connect = async (headers: Record<string, string>) => {
    const socket = new WebSocket(url, { headers: { cookie, ...headers } });
    socket.on('error', () => undefined);
    const opened = await Promise.race([
      once(socket, 'open').then(() => 101),
      once(socket, 'unexpected-response').then(([, { statusCode }]) => Number(statusCode)),
    ]);
    socket.terminate();
    return opened;
  };
  expect(await connect({ origin: page.origin ?? '' })).toBe(101);
  expect(await connect({})).toBe(401);
  expect(await connect({ 'sec-fetch-site': 'same-origin' })).toBe(401);
  expect(await connect({ origin: 'http://evil.example.com' })).toBe(400);
  expect(await connect({ origin: 'http://127.0.0.1:1' })).toBe(400);
});

test('logging out ends the session and its WebSockets, and no other', async () => {
  const [mine, other] = [await open(), await open()];
  const socket = new WebSocket(`ws://127.0.0.1:${app.port}/api/computers/${id}/process`, {
    headers: { cookie: mine, origin: page.origin ?? '' },
  });
  await once(socket, 'open');
  const closed = once(socket, 'close');
  const out = await send('DELETE', '/sessions/current', { headers: { ...page, cookie: mine } });
  expect(out.json).toEqual({ success: true });
  expect(String(out.headers['set-cookie'])).toContain('Max-Age=0');
  await closed;
  const status = async (cookie: string) =>
    (await send('GET', '/sessions/current', { headers: { ...page, cookie } })).status;
  expect(await status(mine)).toBe(401);
  expect(await status(other)).toBe(200);
});

test('a login with the same key continues the session, which log out ends with all it has open', async () => {
  const first = await open();
  const socket = new WebSocket(`ws://127.0.0.1:${app.port}/api/wall`, {
    headers: { cookie: first, origin: page.origin ?? '' },
  });
  await once(socket, 'open');
  const closed = once(socket, 'close');
  const again = await logIn({ login: await link() }, { ...page, cookie: first });
  expect(cookieOf(again)).toBe(first);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  const headers = { ...page, cookie: first };
  await send('DELETE', '/sessions/current', { headers });
  const [code] = await closed;
  expect([code, (await send('GET', '/sessions/current', { headers })).status]).toEqual([4401, 401]);
});

test('a session and a link end with their key', async () => {
  const created = await app.send('POST', '/api/keys', { body: { name: 'brief', rights: 'look' } });
  const key = String(created.json.key);
  const [cookie, unused] = [await open(key), await link(key)];
  const headers = { ...page, cookie };
  expect((await send('GET', '/projects', { headers })).status).toBe(200);
  const refused = await send('POST', '/projects', { headers, body: { name: 'x' } });
  expect(refused.headers['x-error-code']).toBe('forbidden');
  await app.send('DELETE', `/api/keys/${created.json.id}`);
  expect((await send('GET', '/projects', { headers })).status).toBe(401);
  expect((await logIn({ login: unused })).status).toBe(401);
});

test('a request with a key has no session, and a key wins over a cookie', async () => {
  const authorization = `Bearer ${app.world.key}`;
  expect((await send('GET', '/sessions/current', { authorization })).status).toBe(404);
  const headers = { cookie: await open() };
  expect((await send('GET', '/projects', { authorization, headers })).status).toBe(200);
  const wrong = { authorization: 'Bearer wrong', headers: { ...page, ...headers } };
  expect((await send('GET', '/projects', wrong)).status).toBe(401);
});

test('the audit log has links and sessions, without their secrets', async () => {
  await open();
  const { text } = await app.send('GET', '/api/audit?limit=10');
  for (const action of ['createLogin', 'createSession']) expect(text).toContain(action);
  expect(text).not.toMatch(/v[ls]_[0-9a-z]{32}/);
});

test('links and sessions are bounded per owner and in time', async () => {
  const world = await openTestFleet();
  let now = 0;
  const sessions = new Sessions(world.store, world.fleet.apiKeys, () => now);
  const owner = world.fleet.apiKeys.authenticate(world.key);
  if (owner === undefined) throw new Error('the key is unknown');
  const links = Array.from({ length: 17 }, () => sessions.issueLogin(owner).text);
  expect(() => sessions.open({ login: links[0] })).toThrow('used or has expired');
  const opened = Array.from({ length: 65 }, () => sessions.open({ key: world.key }));
  const [first, second] = opened;
  expect(sessions.find(first?.secret ?? '')).toBeUndefined();
  expect(world.fleet.apiKeys.isValid(first?.session.owner ?? owner)).toBe(false);
  expect(sessions.find(second?.secret ?? '')).toBe(second?.session);
  now = 5 * 60_000;
  expect(() => sessions.open({ login: links[1] })).toThrow('used or has expired');
  now = 8 * 60 * 60_000;
  expect(sessions.find(second?.secret ?? '')).toBeUndefined();
  await world.close();
});

test('a link for another key does not silently replace an open session', async () => {
  const stranger = app.world.addOwner('mallory');
  const cookie = await open();
  const headers = { ...page, cookie };
  const login = await link(stranger);
  const refused = await logIn({ login }, headers);
  expect([refused.status, refused.headers['x-error-code']]).toEqual([400, 'conflict']);
  expect(refused.json.error).toBe(
    'This link logs in with the API key "default" of "mallory". This browser is logged in with "default" of "default".',
  );
  expect(refused.headers['set-cookie']).toBeUndefined();
  const mine = await send('GET', '/sessions/current', { headers });
  expect(mine.json).toMatchObject({ owner: { name: 'default' } });
  // The link was not used, and the user may decide for it. The old session ends.
  const changed = await logIn({ login, replace: true }, headers);
  expect(changed.json).toMatchObject({ owner: { name: 'mallory' } });
  expect((await send('GET', '/sessions/current', { headers })).status).toBe(401);
});

test('a link for the same key, and one without an open session, log in at once', async () => {
  const cookie = await open();
  const again = await logIn({ login: await link() }, { ...page, cookie });
  expect(again.status).toBe(200);
  const other = await link(app.world.addOwner('bob'));
  const ended = { ...page, cookie: cookie.replace(/.{4}$/, '0000') };
  expect((await logIn({ login: other }, ended)).json).toMatchObject({ owner: { name: 'bob' } });
  // A link that does not work is no reason to ask.
  expect((await logIn({ login: 'vl_none' }, { ...page, cookie })).status).toBe(401);
});

test('a key that is typed replaces the session of another key', async () => {
  const cookie = await open();
  const typed = await logIn({ key: app.world.addOwner('carol') }, { ...page, cookie });
  expect(typed.json).toMatchObject({ owner: { name: 'carol' } });
  const before = { ...page, cookie };
  expect((await send('GET', '/sessions/current', { headers: before })).status).toBe(401);
});

test('a session survives a restart of the service, without its secret in the store', async () => {
  const own = await openTestApp();
  const body = { key: own.world.key };
  const at = ({ port }: TestApp) => ({ ...page, origin: `http://127.0.0.1:${port}` });
  const opened = await own.send('POST', '/api/sessions', { body, headers: at(own) });
  const secret = cookieOf(opened).split('=')[1] ?? '';
  expect(JSON.stringify(own.world.store.sessions.list())).not.toContain(secret);
  const after = await own.restart();
  try {
    const headers = { ...at(after), cookie: cookieOf(opened) };
    const asked = { authorization: null, headers };
    expect((await after.send('GET', '/api/sessions/current', asked)).json).toEqual(opened.json);
    await after.send('DELETE', '/api/sessions/current', asked);
    expect(after.world.store.sessions.list()).toEqual([]);
  } finally {
    await after.close();
  }
});

test('two cookies of a session are none: another port of the name can have set one', async () => {
  const cookie = await open();
  const [name = ''] = cookie.split('=');
  const status = async (sent: string) =>
    (await send('GET', '/me', { headers: { ...page, cookie: sent } })).status;
  expect(await status(`theme=dark; ${cookie}`)).toBe(200);
  expect(await status(`${cookie}; ${name}=vs_${'0'.repeat(32)}`)).toBe(401);
  expect(await status(`${cookie}; ${cookie}`)).toBe(401);
});
