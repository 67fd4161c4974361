import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inspect, openWatched, type Watched } from '../../../../support/dashboard/checks.js';
import { HOSTILE, logIn, partsOf } from '../../../../support/dashboard/parts.js';
import { eventually } from '../../../../support/eventually.js';
import { describeUnless } from '../../../../support/run/needs.js';
import { noBrowser, openBrowser } from '../../../../support/screen/browser.js';
import { type Desktop, openDesktop } from '../../../../support/service/desktop.js';
import { openTlsProxy, type TlsProxy } from '../../../../support/tls/proxy.js';

/** A text as long as guests may make one. */
const LONG = `${HOSTILE}${'<b>x</b>\u202e '.repeat(1_000)}`.slice(0, 10_000);

describeUnless(noBrowser)('many computers and hostile texts in the web page', () => {
  let desktop: Desktop;
  let browser: Browser;
  let watched: Watched;
  let proxy: TlsProxy;

  beforeAll(async () => {
    [desktop, browser] = await Promise.all([openDesktop(), openBrowser()]);
    proxy = await openTlsProxy(desktop.service.baseUrl);
    watched = await openWatched(browser);
    watched.page.on('dialog', (dialog) => {
      watched.complaints.push(`a text ran as code: ${dialog.message()}`);
      void dialog.dismiss();
    });
  });
  afterAll(async () => {
    await browser?.close();
    proxy?.close();
    await desktop?.close();
  });

  it('logs in with an API key, and shows 200 computers with the pictures of a few', async () => {
    const { context } = await openWatched(browser);
    const page = await context.newPage();
    const pictures = new Set<string>();
    page.on('request', (request) => {
      if (request.url().includes('/thumbnail')) pictures.add(request.url());
    });
    await page.routeWebSocket(/\/api\/wall(\?|$)/, (socket) => {
      socket.send(JSON.stringify({ type: 'list', computers: manyComputers(200) }));
    });
    await page.goto(`${proxy.origin}/computers`);
    await inspect(page, 'login');
    await page.getByLabel('API key').fill(desktop.service.apiKey);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.locator('.tile').nth(199).waitFor();
    expect(pictures.size).toBeLessThan(40);
    await inspect(page, 'computers-many');
    await page.getByRole('button', { name: 'Table' }).click();
    await inspect(page, 'table');
    await page.getByRole('searchbox').fill('computer-17');
    await page.getByText('11 of 200').waitFor();
    expect(page.url()).toContain('text=computer-17');
    await page.reload();
    await page.getByText('11 of 200').waitFor();
    await page.getByRole('checkbox').first().click();
    await page.getByText('1 selected').waitFor();
    await inspect(page, 'selected');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.getByText('Your session has ended').count()).toBe(0);
    await context.close();
  });

  it('shows names of 10,000 characters as text, on the wall and in the table', async () => {
    const { context, complaints } = await openWatched(browser);
    const page = await context.newPage();
    const named = manyComputers(3).map((computer) => ({
      ...computer,
      ...{ name: LONG, status: 'error', status_reason: LONG, image: LONG },
      created_by: { id: 'key_1', name: LONG, prefix: null },
    }));
    await page.routeWebSocket(/\/api\/wall(\?|$)/, (socket) => {
      socket.send(JSON.stringify({ type: 'list', computers: named }));
    });
    const { json } = await desktop.service.http('POST', '/logins', {});
    await logIn(page, json.url);
    await page.goto(new URL('/computers', page.url()).href);
    await page.locator('.tile').nth(2).waitFor();
    await inspect(page, 'computers-long');
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByRole('row').nth(3).waitFor();
    const box = await page.getByRole('row').nth(1).boundingBox();
    expect(box?.height).toBeLessThan(150);
    await inspect(page, 'table-long');
    await page.getByRole('checkbox').first().click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await inspect(page, 'delete-long');
    expect(await page.locator('main img, dialog img, main b, dialog b').count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows file names, links and a clipboard of a guest as text', async () => {
    const { page } = watched;
    const { live, click } = partsOf(page);
    const { json } = await desktop.service.http('POST', '/logins', {});
    await logIn(page, json.url);
    await desktop.run(String.raw`mkdir -p ~/hostile && cd ~/hostile
      python3 - <<'END'
import os
name = '"><img src=x onerror=alert(1)>\u202e{{7*7}}'.replace('/', '')
open(name, 'w').close()
open(('<b>' + 'long' * 100)[:255], 'w').close()
open('line\nbreak', 'w').close()
os.symlink('<img src=x onerror=alert(1)>' + 'x/' * 1900, 'link')
os.mkdir('<script>alert(1)<' + 'folder')
END`);
    await page.goto(new URL(`/computers/${desktop.id}/files?path=hostile`, page.url()).href);
    await page.getByRole('button', { name: '"><img src=x' }).first().waitFor();
    await inspect(page, 'files-hostile');
    await page.getByRole('button', { name: '<script>' }).first().click();
    await page.getByText('The folder is empty').waitFor();
    await inspect(page, 'files-empty');

    await desktop.service.http('PUT', `/computers/${desktop.id}/clipboard`, { text: LONG });
    await click('Screen', 'link');
    await live();
    await click('Clipboard');
    await eventually(async () => (await page.getByLabel('Text').inputValue()) === LONG);
    await inspect(page, 'clipboard');
    await page.keyboard.press('Escape');
  });

  it('shows output and titles of a guest as text in the terminal', async () => {
    const { page } = watched;
    await page.goto(new URL(`/terminal/${desktop.id}`, page.url()).href);
    await page.getByText('Connected').waitFor();
    const title = await page.title();
    await page.keyboard.type(
      String.raw`printf '\033]0;<img src=x onerror=alert(1)>\007\033]8;;javascript:alert(1)\007go\033]8;;\007 <b>%010000d\n' 1; echo done-$((40 + 2))`,
    );
    await page.keyboard.press('Enter');
    await page.locator('.xterm-rows').getByText('done-42', { exact: true }).first().waitFor();
    await inspect(page, 'terminal-hostile');
    expect(await page.title()).toBe(title);
    expect(await page.locator('.xterm-rows img, .xterm-rows b').count()).toBe(0);
  });

  it('ran no text as code, raised no error and no violation of the policy', () => {
    expect(watched.complaints).toEqual([]);
  });
});

/** Computers as the wall sends them. */
function manyComputers(count: number): object[] {
  return Array.from({ length: count }, (_, at) => ({
    ...{ id: `cmp_${at}`, name: `computer-${at}`, project_id: 'prj_1', project_name: 'fleet' },
    ...{ os: 'linux', ram: 2, cpu: 2, gpu: 'none', engine: 'engine', isolation: 'container' },
    status: at % 5 === 0 ? 'stopped' : 'running',
    ...{ created_at: '2026-01-01T00:00:00Z', started_at: null, url: null, image: 'linux' },
    ...{ resolution: { width: 1280, height: 800 }, auto_stop_minutes: null, protected: false },
    ...{ labels: {}, member: null, expires_at: null },
    ...{ control: null, seq: at, created_by: { id: 'key_1', name: 'fleet', prefix: 'vc_0123' } },
  }));
}
