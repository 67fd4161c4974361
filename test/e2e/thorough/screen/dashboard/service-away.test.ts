import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWatched, type Watched } from '../../../../support/dashboard/checks.js';
import { watchEnds } from '../../../../support/dashboard/ends.js';
import { logIn, partsOf } from '../../../../support/dashboard/parts.js';
import { eventually } from '../../../../support/eventually.js';
import { describeUnless } from '../../../../support/run/needs.js';
import { noBrowser, openBrowser } from '../../../../support/screen/browser.js';
import { type OwnDesktop, openOwnDesktop } from '../../../../support/service/desktop.js';
import { openTlsProxy, type TlsProxy } from '../../../../support/tls/proxy.js';

/** Three walls, a live view and a shell, and four pages. */
const SOCKETS_AND_PAGES = 9;

describeUnless(noBrowser)('the web page while its service ends and its key is revoked', () => {
  let desktop: OwnDesktop;
  let browser: Browser;
  let wall: Watched;
  let screen: Page;
  let terminal: Page;
  let proxy: TlsProxy;

  beforeAll(async () => {
    [desktop, browser] = await Promise.all([openOwnDesktop(), openBrowser()]);
    proxy = await openTlsProxy(desktop.service.baseUrl);
    wall = await openWatched(browser);
    await openPages(wall, desktop.service.apiKey);
  });
  afterAll(async () => {
    await browser?.close();
    proxy?.close();
    await desktop?.close();
  });

  const url = (path: string) => new URL(path, proxy.origin).href;

  /** The wall, the screen and the terminal of the computer, each in a page of one session. */
  async function openPages({ context, page }: Watched, key: string): Promise<void> {
    const link = await fetch(`${desktop.service.baseUrl}/logins`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{}',
    });
    await logIn(page, url(`/#login=${((await link.json()) as { token: string }).token}`));
    await page.goto(url('/computers'));
    await partsOf(page).tile('desktop').locator('img').waitFor();
    screen = await context.newPage();
    await screen.goto(url(`/computers/${desktop.id}`));
    await partsOf(screen).live();
    terminal = await context.newPage();
    await terminal.goto(url(`/terminal/${desktop.id}`));
    await terminal.getByText('Connected').waitFor();
    await terminal.keyboard.type('kept=yes\n');
    await terminal.locator('.xterm-rows').filter({ hasText: 'kept=yes' }).waitFor();
  }

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'says that the service is away after %s, and is live again when it is back',
    async (signal) => {
      const { page } = wall;
      await screen.getByRole('button', { name: 'Take control' }).click();
      await screen.locator('.screen[data-state="live"][data-mine="true"]').waitFor();
      await desktop.service.kill(signal);
      for (const each of [page, screen]) {
        await each.getByText('The service is not reachable').waitFor();
        await each.getByText('desktop', { exact: true }).first().waitFor();
      }
      await desktop.service.start();
      for (const each of [page, screen]) {
        await each.getByText('The service is not reachable').waitFor({ state: 'detached' });
      }
      // Nobody logs in again, and the control has ended with the service.
      await partsOf(screen).live();
      await screen.locator('.toolbar').getByText('You are watching.').waitFor();
      await screen.getByRole('button', { name: 'Take control' }).click();
      await screen.locator('.screen[data-state="live"][data-mine="true"] canvas').waitFor();
      await screen.getByRole('button', { name: 'Hand back' }).click();
      // What changes now is seen at once.
      const tile = partsOf(page).tile('desktop');
      await tile.getByText('controlled by').waitFor({ state: 'detached' });
      for (const name of ['renamed', 'desktop']) {
        await desktop.service.http('PATCH', `/computers/${desktop.id}`, { name });
        await partsOf(page).tile(name).waitFor();
      }
    },
  );

  it('continues the shell in the terminal, when asked', async () => {
    await terminal.getByRole('button', { name: 'Connect again' }).click();
    await terminal.getByText('Connected').waitFor();
    await terminal.keyboard.type('echo still $kept\n');
    await terminal.locator('.xterm-rows').getByText('still yes', { exact: true }).waitFor();
  });

  it('says nothing else went wrong', () => {
    // The browser reports each request and socket that fails while the service is away.
    const others = wall.complaints.filter((text) => !/ERR_|WebSocket|status of 503/.test(text));
    expect(others).toEqual([]);
  });

  it('ends pages and sockets within a second when their key is revoked', async () => {
    const { service } = desktop;
    const { json: key } = await service.http('POST', '/keys', { name: 'short' });
    const watched = await openWatched(browser);
    const ends = await watchEnds(watched.context);
    await openPages(watched, key.key);
    const usage = await watched.context.newPage();
    await usage.goto(url('/usage'));
    await usage.getByText('By project').waitFor();
    const pages = [watched.page, screen, terminal, usage];
    ends.splice(0);
    const began = Date.now();
    await service.http('DELETE', `/keys/${key.id}`);
    await Promise.all(pages.map((page) => page.getByLabel('API key').waitFor()));
    const all = await eventually(
      async () => ends.length === SOCKETS_AND_PAGES && ends.toSorted((a, b) => a.at - b.at),
    );
    console.log(all.map(({ path, code, at }) => `${at - began} ms: ${path} ${code ?? ''}`).join());
    for (const { code } of all.filter(({ what }) => what === 'socket')) expect(code).toBe(4401);
    expect((all.at(-1)?.at ?? Number.NaN) - began).toBeLessThan(1000);
    for (const page of [watched.page, screen, usage]) {
      await page.getByText('Your session has ended').waitFor();
    }
    // Nothing of the session is left, and nothing connects again.
    expect(await watched.page.locator('.tile').count()).toBe(0);
    await eventually(async () => (await service.http('GET', '/keys')).json.keys.length === 1);
    await watched.context.close();
  });
});
