import { expect, test } from 'vitest';
import { isLoopbackHost, isPageHost, pageBaseUrl } from '../../../src/contract/access/page-host.js';
import { PageHosts } from '../../../src/server/access/page-hosts.js';
import { type Answer, openTestApp, type TestApp } from '../../support/app.js';
import { PROXY_HOST } from '../../support/tls/proxy-host.js';

/** What a browser sends with requests of a page at `host`. */
const pageAt = (host: string, more: Record<string, string> = {}) => ({
  ...{ host, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json', ...more },
});

const ask = (app: TestApp, method: string, path: string, headers: Record<string, string>) =>
  app.send(method, path, { authorization: null, headers });

async function logIn(app: TestApp, headers: Record<string, string>): Promise<Answer> {
  const { json } = await app.send('POST', '/api/logins');
  return app.send('POST', '/api/sessions', {
    ...{ authorization: null, headers, body: { login: json.token } },
  });
}

const cookieOf = ({ headers }: Answer) => String(headers['set-cookie']).split(';')[0] ?? '';

test('a page without TLS has a name of its own, and its sessions end with the service', async () => {
  const before = await openTestApp();
  const headers = pageAt(before.pageHost);
  const cookie = cookieOf(await logIn(before, headers));
  expect((await ask(before, 'GET', '/api/me', { ...headers, cookie })).status).toBe(200);
  const app = await before.restart();
  try {
    const [name = ''] = before.pageHost.split(':');
    const old = pageAt(`${name}:${app.port}`);
    const secret = cookie.split('=')[1];
    const present = { cookie: `vc_session_${app.port}=${secret}` };
    expect(app.pageHost.split(':')[0]).not.toBe(name);
    for (const [method, path] of [
      ['GET', '/api/me'],
      ['GET', '/api/sessions/current'],
      ['GET', '/api/health'],
      ['POST', '/api/sessions'],
      ['POST', '/api/keys'],
      ['GET', '/api/docs'],
      ['GET', '/api/view/cmp_0/socket'],
    ] as const) {
      const answer = await ask(app, method, path, { ...old, ...present });
      expect([path, answer.status]).toEqual([path, 401]);
      expect(answer.json.error).toContain('ended when the service was stopped');
    }
    // Not with a key either, and not under the new name.
    expect((await app.send('GET', '/api/me', { headers: old })).status).toBe(401);
    const now = { ...pageAt(app.pageHost), ...present };
    expect((await ask(app, 'GET', '/api/me', now)).status).toBe(401);
    // The page itself says what to do.
    expect((await ask(app, 'GET', '/', { host: old.host ?? '' })).headers['content-type']).toMatch(
      /^text\/html/,
    );
  } finally {
    await app.close();
  }
});

test('an address of loopback without TLS has no sessions, whatever the cookie', async () => {
  const app = await openTestApp();
  try {
    const cookie = cookieOf(await logIn(app, pageAt(app.pageHost)));
    for (const name of ['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST']) {
      const headers = pageAt(`${name}:${app.port}`);
      const refused = await logIn(app, headers);
      expect([refused.status, refused.headers['set-cookie']]).toEqual([403, undefined]);
      expect(refused.headers['x-error-remedy']).toContain('vc dashboard');
      expect((await ask(app, 'GET', '/api/me', { ...headers, cookie })).status).toBe(401);
      // Behind TLS, browsers send its cookies to the ports of other users of the machine.
      const proxied = { ...headers, 'x-forwarded-proto': 'https' };
      expect((await logIn(app, proxied)).status).toBe(403);
    }
    const page = pageAt(app.pageHost, { 'x-forwarded-proto': 'https' });
    expect((await logIn(app, page)).status).toBe(403);
  } finally {
    await app.close();
  }
});

test('the sessions of a TLS proxy continue after a restart', async () => {
  const before = await openTestApp();
  const proxied = pageAt(PROXY_HOST, { 'x-forwarded-proto': 'https' });
  const secret = cookieOf(await logIn(before, proxied)).split('=')[1];
  const app = await before.restart();
  try {
    const cookie = `__Host-vc_session_443=${secret}`;
    expect((await ask(app, 'GET', '/api/me', { ...proxied, cookie })).status).toBe(200);
  } finally {
    await app.close();
  }
});

test('links to pages have the name, links behind a proxy do not', async () => {
  const app = await openTestApp();
  try {
    await app.send('POST', '/api/projects', { body: { name: 'p' } });
    const { json } = await app.send('POST', '/api/projects/p/computers', { body: { name: 'a' } });
    const view = `/api/computers/${json.id}/view`;
    for (const path of ['/api/logins', view]) {
      const local = await app.send('POST', path, { headers: { host: `localhost:${app.port}` } });
      expect(local.json.url).toMatch(new RegExp(`^http://vc-[0-9a-f]{32}.localhost:${app.port}/`));
      // Browsers send the cookies of a name to all ports: nobody else knows this one.
      const { json: again } = await app.send('POST', path);
      expect(new URL(String(again.url)).host).not.toBe(new URL(String(local.json.url)).host);
      const headers = { host: PROXY_HOST, 'x-forwarded-proto': 'https' };
      const proxied = await app.send('POST', path, { headers });
      expect(proxied.json.url).toMatch(`https://${PROXY_HOST}/`);
    }
    // Its address without a ticket is for programs, too.
    expect(json.url).toMatch(`http://127.0.0.1:${app.port}/api/view/`);
  } finally {
    await app.close();
  }
});

test('names of pages are told from others', () => {
  const name = 'vc-0123456789abcdef0123456789abcdef.localhost';
  expect(isPageHost(name)).toBe(true);
  for (const other of [`x.${name}`, `${name}.example.com`, 'localhost', 'vc-1.localhost', '']) {
    expect(isPageHost(other), other).toBe(false);
  }
  for (const other of ['127.0.0.1.example.com', '10.0.0.1', 'localhost.example.com', '0.0.0.0']) {
    expect(isLoopbackHost(other), other).toBe(false);
  }
  for (const other of ['a.localhost', 'localhost.', name]) {
    expect(isLoopbackHost(other), other).toBe(true);
  }
});

test('a name is of the service that has made it', () => {
  const [ours, others] = [new PageHosts(), new PageHosts()];
  const name = ours.issue();
  expect(isPageHost(name)).toBe(true);
  expect([ours.isOurs(name), others.isOurs(name)]).toEqual([true, false]);
  /** With another character there. */
  const changed = (at: number) =>
    `${name.slice(0, at)}${name[at] === '0' ? '1' : '0'}${name.slice(at + 1)}`;
  for (const other of [changed(3), changed(20), changed(34), '', 'vc-']) {
    expect(ours.isOurs(other), other).toBe(false);
  }
});

test.each([
  ['http://127.0.0.1:4700/api', 'http://vc-0123456789abcdef0123456789abcdef.localhost:4700/api'],
  ['http://localhost:9/api', 'http://vc-0123456789abcdef0123456789abcdef.localhost:9/api'],
  ['http://[::1]:4700/api', 'http://vc-0123456789abcdef0123456789abcdef.localhost:4700/api'],
  ['https://127.0.0.1:4700/api', 'https://127.0.0.1:4700/api'],
  ['http://10.0.0.1:4700/api', 'http://10.0.0.1:4700/api'],
])('a client at %s finds the page at %s', (baseUrl, expected) => {
  const link = 'http://vc-0123456789abcdef0123456789abcdef.localhost:4700/#login=vl_1';
  expect(pageBaseUrl(baseUrl, link)).toBe(expected);
  for (const other of ['http://evil.example.com/', 'http://x.vc-1.localhost/', 'none']) {
    expect(pageBaseUrl(baseUrl, other)).toBe(baseUrl);
  }
});

test('answers to a page are the last of their connection, which browsers use for no other request', async () => {
  const app = await openTestApp();
  try {
    for (const [host, expected] of [
      [app.pageHost, 'close'],
      [`127.0.0.1:${app.port}`, 'keep-alive'],
      [PROXY_HOST, 'keep-alive'],
    ] as const) {
      for (const path of ['/', '/api/me', '/api/none']) {
        const { headers } = await app.send('GET', path, { headers: { host } });
        expect([path, host, headers.connection]).toEqual([path, host, expected]);
      }
    }
  } finally {
    await app.close();
  }
});
