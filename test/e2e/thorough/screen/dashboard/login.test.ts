import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inspect, openWatched, type Watched } from '../../../../support/dashboard/checks.js';
import { partsOf } from '../../../../support/dashboard/parts.js';
import { describeUnless } from '../../../../support/run/needs.js';
import { noBrowser, openBrowser } from '../../../../support/screen/browser.js';
import { connectSharedService } from '../../../../support/service/service.js';
import { openTlsProxy, type TlsProxy } from '../../../../support/tls/proxy.js';

interface Key {
  readonly id: string;
  readonly key: string;
}

describeUnless(noBrowser)('links to the web page of two keys', () => {
  let service: ReturnType<typeof connectSharedService>;
  let browser: Browser;
  let mine: Key;
  let other: Key;
  let watched: Watched;
  let page: Page;
  let proxy: TlsProxy;

  beforeAll(async () => {
    service = connectSharedService();
    browser = await openBrowser();
    proxy = await openTlsProxy(service.baseUrl);
    mine = await create('login-mine', 'act');
    other = await create('login-other', 'look');
    watched = await openWatched(browser);
    page = watched.page;
    await page.goto(await link(mine));
    await partsOf(page).heading('Overview').waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    proxy?.close();
    for (const key of [mine, other]) if (key) await service.http('DELETE', `/keys/${key.id}`);
    await service?.close();
  });

  const create = async (name: string, rights: string): Promise<Key> =>
    (await service.http('POST', '/keys', { name, rights })).json;
  const link = async ({ key }: Key): Promise<string> => {
    const answer = await fetch(`${service.baseUrl}/logins`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{}',
    });
    // Behind a proxy, links of all keys have one address.
    return `${proxy.origin}/#login=${((await answer.json()) as { token: string }).token}`;
  };
  /** Another page of the same session, as when the user opens a link from elsewhere. */
  const openLink = async (url: string): Promise<Page> => {
    const opened = await watched.context.newPage();
    await opened.goto(url);
    return opened;
  };
  const account = (on: Page) => on.locator('.account');
  const nameOfSession = () =>
    page.evaluate("fetch('/api/sessions/current').then((r) => r.json()).then((s) => s.key.name)");

  it('says with whose key a link has logged in, also in a narrow window', async () => {
    const { context, page: first } = await openWatched(browser);
    await first.goto(await link(mine));
    await first.getByText('Logged in with the API key "login-mine" of "default"').waitFor();
    await account(first).getByText('login-mine').waitFor();
    await inspect(first, 'logged-in');
    await first.setViewportSize({ width: 360, height: 740 });
    await first.locator('.top').getByText('login-mine').waitFor();
    await context.close();
  });

  it('asks before a link changes the key, and changes nothing when refused', async () => {
    const url = await link(other);
    const opened = await openLink(url);
    const { dialog, confirm } = partsOf(opened);
    await dialog().getByText('Log in with another key?').waitFor();
    await dialog()
      .getByText(/"login-other" of "default".*"login-mine" of "default"/)
      .waitFor();
    expect(opened.url()).not.toContain('login=');
    await account(opened).getByText('login-mine').waitFor();
    expect(await nameOfSession()).toBe('login-mine');
    await inspect(opened, 'login-other');
    await confirm('Stay logged in');
    await dialog().waitFor({ state: 'detached' });
    await opened.reload();
    await account(opened).getByText('login-mine').waitFor();
    expect(await dialog().count()).toBe(0);
    expect(await nameOfSession()).toBe('login-mine');
    // The link is unused.
    const { context, page: elsewhere } = await openWatched(browser);
    await elsewhere.goto(url);
    await account(elsewhere).getByText('login-other').waitFor();
    await context.close();
    await opened.close();
  });

  it('stays logged in when the question is closed with Escape', async () => {
    const opened = await openLink(await link(other));
    await partsOf(opened).dialog().waitFor();
    await opened.keyboard.press('Escape');
    await partsOf(opened).dialog().waitFor({ state: 'detached' });
    expect(await nameOfSession()).toBe('login-mine');
    await opened.close();
  });

  it('asks nothing for a link of the same key', async () => {
    const opened = await openLink(await link(mine));
    await opened.getByText('Logged in with the API key "login-mine"').waitFor();
    expect(await partsOf(opened).dialog().count()).toBe(0);
    await opened.close();
  });

  it('raised no error and no violation of the policy', () => {
    expect(watched.complaints).toEqual([]);
  });

  it('changes the key when confirmed, and ends the session of the other', async () => {
    const { context, page: first } = await openWatched(browser);
    const { dialog, confirm } = partsOf(first);
    await first.goto(await link(mine));
    await account(first).getByText('login-mine').waitFor();
    const second = await context.newPage();
    await second.goto(new URL('/', first.url()).href);
    await account(second).getByText('login-mine').waitFor();
    // As a link that is pasted into the address bar of the page.
    await first.goto('about:blank');
    await first.goto(await link(other));
    await dialog().waitFor();
    await confirm('Change to that key');
    await account(first).getByText('login-other').waitFor();
    // What was open with the old key shows that its session has ended.
    await second.getByText('Your session has ended').waitFor();
    await inspect(second, 'login-ended');
    await second.reload();
    await account(second).getByText('login-other').waitFor();
    await context.close();
  });
});
