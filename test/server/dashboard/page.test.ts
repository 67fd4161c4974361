// @module-tag slow
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { buildDashboard } from '../../../scripts/dashboard.js';
import { deferred } from '../../../src/lib/async/deferred.js';
import { openTestApp, type TestApp } from '../../support/app.js';
import { inspect } from '../../support/dashboard/checks.js';
import { downloaded, partsOf } from '../../support/dashboard/parts.js';
import { eventually } from '../../support/eventually.js';
import { FakeMountingEngine } from '../../support/fake-engine.js';
import { describeUnless } from '../../support/run/needs.js';
import { noBrowser, openBrowser } from '../../support/screen/browser.js';

const BUILT = new URL('../../../dist/dashboard/', import.meta.url);
/** Directory for pictures; without it none are taken. */
const PICTURES = process.env.VC_TEST_PICTURES;

describeUnless(noBrowser)('the web page with computers in memory', () => {
  let app: TestApp;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let id: string;

  beforeAll(async () => {
    if (!existsSync(BUILT)) await buildDashboard();
    app = await openTestApp({ maxRunning: 5, engine: new FakeMountingEngine() });
    await app.send('POST', '/api/projects', { body: { name: 'demo' } });
    for (const name of ['one', 'two', 'three']) {
      const { json } = await app.send('POST', '/api/projects/demo/computers', { body: { name } });
      id = String(json.id);
    }
    browser = await openBrowser();
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(30_000);
    page = await context.newPage();
  });
  afterEach(() => context.close());

  const url = (path: string) => `http://127.0.0.1:${app.port}${path}`;
  /** Opens a page with a session of the key. */
  const open = async (path: string, key = app.world.key) => {
    const authorization = `Bearer ${key}`;
    const { json } = await app.send('POST', '/api/logins', { authorization, body: {} });
    await page.goto(String(json.url));
    await partsOf(page).heading('Overview').waitFor();
    await page.goto(url(path));
  };
  const newKey = async (body: object) =>
    String((await app.send('POST', '/api/keys', { body })).json.key);
  const pictures = async (name: string) => {
    if (PICTURES === undefined) return;
    mkdirSync(PICTURES, { recursive: true });
    for (const width of [1280, 1024, 390]) {
      await page.setViewportSize({ width, height: 800 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: join(PICTURES, `${name}-${width}-${colorScheme}.png`) });
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  };

  it('opens one socket for all computers, which brings the first pictures, and reads each once', async () => {
    let sockets: string[] = [];
    let read: string[] = [];
    let brought: string[] = [];
    page.on('websocket', (socket) => {
      sockets.push(socket.url().replace(/.*\/api/, ''));
      socket.once('framereceived', ({ payload }) => {
        const { computers } = JSON.parse(String(payload)) as {
          computers: { id: string; seq: number }[];
        };
        const paths = computers.map((one) => `/computers/${one.id}/thumbnail?seq=${one.seq}`);
        brought = paths.slice(0, 2);
      });
    });
    page.on('request', (request) => {
      const path = request.url().replace(/.*\/api/, '');
      if (path.includes('/thumbnail')) read.push(path);
    });
    const shown = page.locator('.tile img');
    const link = new URL(String((await app.send('POST', '/api/logins', { body: {} })).json.url));
    link.pathname = '/computers';
    // With a link; then in its session, for which the socket does not wait.
    for (const address of [link.href, url('/computers')]) {
      [sockets, read, brought] = [[], [], []];
      await page.goto(address);
      await eventually(async () => (await shown.count()) === 3);
      expect(sockets).toEqual(['/wall?pictures=2']);
      expect(brought).toHaveLength(2);
      expect(read.filter((path) => brought.includes(path))).toEqual([]);
      expect(read).toEqual([...new Set(read)]);
    }
    // A socket that was opened for a session which has ended is not kept.
    await context.clearCookies();
    await page.goto(url('/computers'));
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate(() => window.start.wall)).toBeUndefined();
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
  });

  it('shows what runs, what it uses, what was done last, and what failed, with links', async () => {
    const path = '/api/projects/demo/computers';
    const click = () => app.send('POST', `${path}/off/click`, { body: { x: 1, y: 1 } });
    const off = (await app.send('POST', path, { body: { name: 'off' } })).json.id;
    for (let count = 0; count < 3; count += 1) await click();
    await app.send('POST', `${path}/off/stop`, { body: {} });
    await click();
    const { engine, fleet } = app.world;
    const measure = () => fleet.usageHistory.measure(engine, new AbortController().signal);
    await measure();
    await page.clock.install();
    await open('/');
    const figure = (name: string) =>
      page.locator('.figures > div').filter({ has: page.getByText(name, { exact: true }) });
    await figure('Running').getByText('of 5').waitFor();
    expect(await figure('Running').getByRole('definition').innerText()).toMatch(/^3 of 5/);
    const section = (name: string) =>
      page.locator('section').filter({ has: page.getByRole('heading', { name }) });
    await section('Latest actions').getByText('clicked in demo/off 3 times').waitFor();
    await section('Recent failures').getByText('failed to click in demo/off').waitFor();
    await figure('Processor').getByText('of 6 cores').waitFor();
    await section('Running computers').locator('polyline').nth(5).waitFor({ state: 'attached' });
    // Newer measurements are read while the page is shown.
    engine.used.memoryBytes = 5e8;
    await measure();
    await eventually(async () => {
      await page.clock.fastForward(31_000);
      return (await section('Running computers').innerText()).includes('477 MB');
    });
    await inspect(page, 'overview');
    await pictures('overview');
    // What happens meanwhile is shown without a reload.
    await app.send('POST', '/api/projects', { body: { name: 'later' } });
    await page.getByText('created the project later').waitFor();
    await section('Latest actions').getByRole('link', { name: 'demo/off' }).first().click();
    await page.waitForURL(`**/computers/${off}`);
    await app.send('DELETE', '/api/projects/later');
    await app.send('DELETE', `${path}/off`);
  }, 120_000);

  it('shows what runs first, and what does not as a row with its last picture', async () => {
    const path = '/api/projects/demo/computers';
    const labels = { team: 'qa' };
    const body = { name: 'apart', labels, protected: true, expires_in: 7200 };
    await app.send('POST', path, { body });
    await app.send('POST', path, { body: { name: 'b-side', labels } });
    await open('/computers');
    await page.getByText('5 of 5 running').waitFor();
    const tile = partsOf(page).tile('apart');
    await tile.locator('img').waitFor();
    await tile.getByText('protected').waitFor();
    await tile.getByText('expires in 2 hours').waitFor();
    await app.send('POST', `${path}/apart/stop`, { body: {} });
    await page.getByText('1 stopped').waitFor();
    expect(await page.locator('.tile').last().innerText()).toContain('apart');
    expect(await page.locator('.compact img').count()).toBe(1);
    await page.getByRole('combobox', { name: 'Group' }).selectOption('label:team');
    await page.getByRole('heading', { level: 2, name: 'qa 2' }).waitFor();
    await page.getByRole('combobox', { name: 'Size of tiles' }).selectOption('small');
    await page.waitForURL('**/computers?group=label%3Ateam&size=small');
    await inspect(page, 'wall-groups');
    await pictures('wall-groups');
    await app.send('PATCH', `${path}/apart`, { body: { protected: false } });
    for (const name of ['apart', 'b-side']) await app.send('DELETE', `${path}/${name}`);
  }, 120_000);

  it('goes by a few letters to a page, a computer or what to do with it', async () => {
    await open('/projects');
    await page.getByRole('row').nth(1).waitFor();
    const dialog = partsOf(page).dialog();
    await page.keyboard.press('/');
    await dialog.locator('input:focus').waitFor();
    await page.keyboard.type('three set');
    await dialog.getByRole('option', { name: 'demo/three: Settings' }).waitFor();
    await inspect(page, 'palette');
    await pictures('palette');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/computers/${id}/settings`);
    await page.keyboard.press('ControlOrMeta+k');
    await dialog.locator('input:focus').waitFor();
    await page.keyboard.type('new comp');
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Name').waitFor();
    // In a field the keys are typed.
    await page.keyboard.type('a/b');
    expect(await dialog.getByLabel('Name').inputValue()).toBe('a/b');
    await page.keyboard.press('Escape');
    await page.waitForURL(url('/computers'));
    await partsOf(page).click('Go to… Ctrl K');
    await dialog.locator('input:focus').waitFor();
    await page.keyboard.type('three');
    await page.keyboard.press('ArrowDown');
    await dialog
      .locator('[aria-selected="true"]')
      .getByText(/three: /)
      .waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(page.url()).toBe(url('/computers'));
  }, 120_000);

  it('tells the activity in sentences with links, and follows it', async () => {
    await open('/activity');
    const row = partsOf(page).row('default created demo/three');
    await row.waitFor();
    expect(await row.getByRole('link').getAttribute('href')).toBe(`/computers/${id}`);
    await app.send('POST', '/api/projects', { body: { name: 'followed' } });
    await partsOf(page).row('default created the project followed').waitFor();
    await inspect(page, 'activity');
    await pictures('activity');
    await app.send('DELETE', '/api/projects/followed');
  }, 120_000);

  it('stays on the page of a computer in its terminal and its activity', async () => {
    await page.routeWebSocket(/\/process$/, () => undefined);
    await app.send('POST', `/api/computers/${id}/click`, { body: { x: 1, y: 1 } });
    await open(`/computers/${id}`);
    const tab = (name: string) =>
      page.getByRole('navigation', { name: 'Pages of the computer' }).getByRole('link', { name });
    await tab('Activity').click();
    await partsOf(page).row('default clicked in demo/three').waitFor();
    expect(await page.getByLabel('All computers').count()).toBe(0);
    await partsOf(page).heading('three').waitFor();
    await inspect(page, 'activity-of-computer');
    await pictures('activity-of-computer');
    await tab('Terminal').click();
    await page.frameLocator('iframe[title="Terminal"]').getByText('Connected').waitFor();
    await partsOf(page).heading('three').waitFor();
    await pictures('terminal-of-computer');
    for (const key of ['Control', 'Alt', 'Shift']) await page.keyboard.down(key);
    for (const key of ['Shift', 'Alt', 'Control']) await page.keyboard.up(key);
    await page.keyboard.press('Enter');
    await partsOf(page).live();
  }, 120_000);

  it('shows the screen from edge to edge, with a toolbar that hides until it is needed', async () => {
    await open(`/computers/${id}`);
    await partsOf(page).live();
    await page.getByRole('button', { name: 'Full screen' }).click();
    await page.waitForFunction('document.fullscreenElement !== null');
    await page.mouse.move(640, 600);
    await page.evaluate('document.activeElement.blur()');
    const lower = async () => {
      const { y = 0, height = 0 } = (await page.locator('.toolbar').boundingBox()) ?? {};
      return Math.round(y + height);
    };
    await eventually(async () => (await lower()) === 6);
    const { x, y, width } = (await page.locator('.stage').boundingBox()) ?? {};
    expect([x, y, width]).toEqual([0, 0, 1280]);
    await pictures('full');
    await page.mouse.move(640, 2);
    await eventually(async () => (await lower()) > 40);
    await pictures('full-tools');
    await page.getByRole('button', { name: 'Full screen' }).click();
    await page.waitForFunction('document.fullscreenElement === null');
  }, 120_000);

  it('says beside the field of a new computer what is wrong with it', async () => {
    await open('/computers?create=1');
    const dialog = partsOf(page).dialog();
    await dialog.getByLabel('Name').fill('wrong');
    await dialog.getByText('More options').click();
    await inspect(page, 'computer-new');
    await pictures('computer-new');
    await dialog.getByLabel('Network').fill('not a domain');
    await dialog.getByText('More options').click();
    await partsOf(page).confirm('Create computer');
    const field = dialog.locator('.field', { has: page.getByLabel('Network') });
    await field.getByRole('alert').getByText('network').waitFor();
    expect(await dialog.locator(':focus').getAttribute('name')).toBe('network');
    expect(await dialog.locator('.failure').count()).toBe(0);
    await inspect(page, 'computer-wrong');
    await pictures('computer-wrong');
  }, 120_000);

  it('creates volumes, mounts them in a new computer, and deletes those that none mounts', async () => {
    await app.send('DELETE', '/api/projects/demo/computers/two');
    await open('/volumes');
    const dialog = partsOf(page).dialog();
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await page.getByRole('heading', { name: 'No volume yet' }).waitFor();
    for (const name of ['data', 'models']) {
      await page.getByRole('button', { name: 'New volume' }).click();
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByRole('button', { name: 'Create volume' }).click();
      await row(name).getByText('0 computers').waitFor();
    }
    await page.goto(url('/computers?create=1'));
    await dialog.getByText('More options').click();
    await dialog.getByLabel('Name').fill('two');
    await dialog.getByLabel('Volume data').fill('/data:ro');
    await inspect(page, 'new-computer');
    await pictures('new-computer');
    await dialog.getByRole('button', { name: 'Create computer' }).click();
    await partsOf(page).tile('two').waitFor();
    const { json } = await app.send('GET', '/api/projects/demo/computers/two');
    expect(json.volumes).toEqual([{ name: 'data', path: '/data', read_only: true }]);
    await page.goto(url('/volumes'));
    await row('data').getByText('1 computer').waitFor();
    await inspect(page, 'volumes');
    await pictures('volumes');
    await page.getByRole('button', { name: 'Actions of data' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await dialog.getByText('Mounted by 1 computer').waitFor();
    await dialog.getByRole('button', { name: 'Delete volume' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/is mounted by demo\/two/)
      .waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Actions of models' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete volume' }).click();
    await row('models').waitFor({ state: 'detached' });
  }, 120_000);

  it('asks for a confirmation where many are lost, with the focus away from the red button', async () => {
    await open('/projects');
    await partsOf(page).chooseBy('Actions of demo', 'Delete…');
    const dialog = partsOf(page).dialog();
    expect(await dialog.locator(':focus').getAttribute('name')).toBe('confirmation');
    await page.keyboard.press('Enter');
    await page.keyboard.type('dem');
    await page.keyboard.press('Enter');
    await pictures('confirm');
    expect(await dialog.count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.goto(url(`/computers/${id}`));
    await partsOf(page).chooseBy('Actions', 'Delete…');
    expect(await dialog.locator(':focus').innerText()).toBe('Cancel');
    expect((await app.send('GET', '/api/projects')).json.projects).toHaveLength(1);
  }, 120_000);

  it('says in one notice which computers were not deleted, and tries these again', async () => {
    let isRefused = true;
    let deletions = 0;
    await page.route(/\/api\/computers\/\w+$/, (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      deletions += 1;
      if (!isRefused || deletions === 1) return route.fulfill({ json: { success: true } });
      return route.fulfill({
        status: 503,
        headers: { 'x-error-code': 'engine_unavailable', 'x-request-id': 'req_1' },
        json: { error: 'The Docker Engine does not answer.' },
      });
    });
    await open('/computers');
    await page.getByRole('checkbox').first().click();
    await partsOf(page).click('All');
    await partsOf(page).click('Delete');
    await partsOf(page).dialog().locator('input:focus').waitFor();
    await page.keyboard.type('3');
    await pictures('bulk');
    await page.keyboard.press('Enter');
    await page.getByText('1 deleted, 2 not').waitFor();
    expect(await page.locator('.notice').count()).toBe(1);
    await page.getByRole('checkbox').first().click();
    await inspect(page, 'bulk-notice');
    await pictures('bulk-notice');
    isRefused = false;
    await partsOf(page).click('Retry');
    await page.getByText('2 deleted', { exact: true }).waitFor();
  }, 120_000);

  it('gives composed text to the computer, once and in order, and the focus back to the screen', async () => {
    await open(`/computers/${id}`);
    await partsOf(page).live();
    await page.getByRole('button', { name: 'Take control' }).click();
    const field = page.getByLabel('Keyboard of the computer');
    await eventually(
      async () =>
        (await field.count()) === 1 &&
        (await field.evaluate('document.activeElement.className')) === 'keys',
    );
    const inputs = () =>
      app.world.connectors.screens
        .flatMap((screen) => screen.inputs)
        .filter((each) => /^(press|type)/.test(each));
    const debug = await context.newCDPSession(page);
    await page.keyboard.press('a');
    await page.keyboard.insertText('你好');
    await debug.send('Input.imeSetComposition', { text: 'か', selectionStart: 1, selectionEnd: 1 });
    await debug.send('Input.imeSetComposition', { text: 'が', selectionStart: 1, selectionEnd: 1 });
    await debug.send('Input.insertText', { text: 'が' });
    await page.keyboard.press('Enter');
    await page.keyboard.insertText('é🙂');
    await eventually(async () => inputs().length >= 5);
    expect(inputs()).toEqual(['press 61', 'type 你好', 'type が', 'press ff0d', 'type é🙂']);
    await pictures('control');
    await page.getByRole('button', { name: 'Clipboard' }).click();
    await partsOf(page).dialog().waitFor();
    await page.keyboard.press('Escape');
    await partsOf(page).dialog().waitFor({ state: 'detached' });
    await eventually(
      async () => (await field.evaluate('document.activeElement.className')) === 'keys',
    );
    await partsOf(page).chooseBy('Special keys', 'F11');
    await eventually(
      async () => (await field.evaluate('document.activeElement.className')) === 'keys',
    );
  }, 120_000);

  it("copies the text of the computer's clipboard", async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await app.send('PUT', `/api/computers/${id}/clipboard`, { body: { text: 'from the guest' } });
    await open(`/computers/${id}`);
    await partsOf(page).live();
    await partsOf(page).click('Clipboard');
    const area = partsOf(page).dialog().getByLabel('Text');
    await eventually(async () => (await area.inputValue()) === 'from the guest');
    await partsOf(page).confirm('Copy');
    await eventually(async () => (await partsOf(page).clipboard()) === 'from the guest');
    await pictures('clipboard');
  }, 120_000);

  it('shares the clipboard with a computer under control, in both directions', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(`/computers/${id}`);
    await partsOf(page).live();
    await page.evaluate("navigator.clipboard.writeText('from the person')");
    await partsOf(page).click('Clipboard');
    await partsOf(page).dialog().getByText('Share my clipboard').click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Take control' }).click();
    const screens = () => app.world.connectors.screens;
    await eventually(async () =>
      screens().some(({ inputs }) => inputs.includes('clipboard from the person')),
    );
    // The live view connects anew for a person in control.
    await eventually(async () => {
      for (const screen of screens()) screen.emit('clipboard', { text: 'from the computer' });
      return (await partsOf(page).clipboard()) === 'from the computer';
    });
    await partsOf(page).click('Hand back');
    await page.getByText('You are watching').waitFor();
    for (const screen of screens()) screen.emit('clipboard', { text: 'not shared' });
    await page.evaluate("dispatchEvent(new Event('focus'))");
    expect(await partsOf(page).clipboard()).toBe('from the computer');
  }, 120_000);

  it('has terminals beside the screen that stay on other pages of the computer', async () => {
    let typed = '';
    await page.routeWebSocket(/\/process$/, (socket) => {
      socket.onMessage((message) => {
        if (typeof message !== 'string') typed += message.subarray(1).toString();
      });
    });
    await open(`/computers/${id}`);
    await partsOf(page).live();
    const toggle = page.getByRole('button', { name: 'Terminals', exact: true });
    await toggle.click();
    const shown = (number: number) => page.frameLocator(`iframe[title="Terminal ${number}"]`);
    await shown(1).getByText('Connected').waitFor();
    await shown(1).locator('textarea').focus();
    await page.keyboard.type('ls');
    await eventually(async () => typed === 'ls');
    for (const key of ['Control', 'Alt', 'Shift']) await page.keyboard.down(key);
    for (const key of ['Shift', 'Alt', 'Control']) await page.keyboard.up(key);
    await eventually(
      async () => (await page.evaluate('document.activeElement.innerText')) === 'Terminal 1',
    );
    await partsOf(page).click('New terminal');
    await shown(2).getByText('Connected').waitFor();
    await inspect(page, 'terminals');
    await pictures('terminals');
    await page.evaluate(
      "document.querySelector('iframe').contentDocument.documentElement.id = 'same'",
    );
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'About' }).waitFor();
    await pictures('terminals-settings');
    await partsOf(page).click('Terminal 1');
    expect(await shown(1).locator('html#same').count()).toBe(1);
    await page.reload();
    await shown(2).getByText('Connected').waitFor();
    for (const number of [1, 2]) await partsOf(page).click(`Close terminal ${number}`);
    expect(await page.locator('iframe').count()).toBe(0);
    expect(await toggle.getAttribute('aria-pressed')).toBe('false');
  }, 120_000);

  it('runs a command in several computers, and shows what each answers', async () => {
    await page.route('**/api/computers/*/bash', (route) => {
      const isLast = route.request().url().includes(id);
      if (isLast) return route.fulfill({ status: 503, json: { error: 'The engine is away.' } });
      const answer = { exit_code: 3, timed_out: false, output: 'no such file\n' };
      return route.fulfill({ json: answer });
    });
    await open('/computers');
    await page.getByRole('checkbox').first().click();
    await partsOf(page).click('All');
    await partsOf(page).click('Run a command');
    await page.keyboard.type('cat missing');
    await partsOf(page).confirm('Run');
    const results = partsOf(page).dialog().getByRole('list', { name: 'Results' });
    await results.getByText('exit code 3').nth(1).waitFor();
    await results.getByText('The engine is away.').waitFor();
    await inspect(page, 'run-command');
    await pictures('run-command');
  }, 120_000);

  it('loads the login in time, and says when it cannot', async () => {
    await page.route('**/assets/login-*', (route) => route.abort());
    await open('/computers');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByText('This part of the page could not be loaded').waitFor();
    await page.unroute('**/assets/login-*');
    await page.reload();
    await page.getByLabel('API key').waitFor();
    const loaded = page.waitForResponse(/assets\/login-/);
    await open('/computers');
    await loaded;
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('API key').waitFor();
  });

  it('shows the picture of the wall until the screen is connected', async () => {
    const { promise: released, resolve: release } = deferred<void>();
    const body = await sharp({ create: { width: 32, height: 20, channels: 3, background: '#0a0' } })
      .jpeg()
      .toBuffer();
    await page.route('**/thumbnail?*', (route) =>
      route.fulfill({ contentType: 'image/jpeg', body }),
    );
    await page.route('**/view', async (route) => {
      await released;
      await route.continue();
    });
    await open('/computers');
    const tile = page.locator(`a[href="/computers/${id}"]`).first();
    await tile.locator('img').waitFor();
    await tile.click();
    await page.locator('.desktop .last img').waitFor();
    await page.getByText('Connecting to the screen…').waitFor();
    await pictures('connecting');
    release();
    await partsOf(page).live();
    expect(await page.locator('.desktop .last').count()).toBe(0);
  });

  it('keeps the last picture while the service is away, and says that nothing is controlled', async () => {
    await page.routeWebSocket(/\/socket$/, (socket) => {
      const server = socket.connectToServer();
      closeView = () => socket.close();
      socket.onMessage((message) => server.send(message));
      server.onMessage((message) => socket.send(message));
    });
    let closeView = () => {};
    await open(`/computers/${id}`);
    await partsOf(page).live();
    await page.getByRole('button', { name: 'Take control' }).click();
    await page.getByText('You are in control').waitFor();
    await context.setOffline(true);
    closeView();
    await page.getByText('The service is not reachable').waitFor();
    await page.getByText('was running').waitFor();
    await page.getByText('keys do not reach the computer').waitFor();
    expect(await page.locator('.desktop canvas').count()).toBe(1);
    const { y = 0, height = 0 } =
      (await page.getByRole('button', { name: 'Log out' }).boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(800);
    await pictures('away');
    await context.setOffline(false);
    await partsOf(page).live();
  }, 120_000);

  it('shows a key no pages that it may not see', async () => {
    await open(`/computers/${id}/files`, await newKey({ name: 'looks', rights: 'look' }));
    await page.getByText('Your key may not read files').waitFor();
    const pages = page.getByRole('navigation', { name: 'Pages of the computer' });
    expect(await pages.getByRole('link', { name: /Terminal|Files/ }).count()).toBe(0);
    expect(await page.getByRole('alert').locator('.failure').count()).toBe(0);
    await page.goto(url(`/terminal/${id}`));
    await page.getByText('Your key may only look').waitFor();
    await context.clearCookies();
    const project = await newKey({ name: 'acts', rights: 'act', project: 'demo' });
    await open('/streams', project);
    await page.getByText('Only keys for all projects see them').waitFor();
    await page.goto(url('/keys'));
    await page.getByText('Your key may not manage keys').waitFor();
    expect(await page.getByRole('alert').locator('.failure').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Keys', exact: true }).count()).toBe(0);
  }, 120_000);

  it.each([1280, 1024, 390])(
    'shows every column of a table in %d pixels',
    async (width) => {
      await page.setViewportSize({ width, height: 800 });
      for (const path of ['/keys', '/computers?view=table', '/activity', '/projects']) {
        await open(path);
        await page.locator('tbody tr').first().waitFor();
        const hidden = () =>
          page
            .locator('.scroll')
            .first()
            .evaluate((area) => area.scrollWidth - area.clientWidth);
        // The page lays the rows out again when they have come.
        await expect.poll(hidden, { timeout: 10_000, message: path }).toBeLessThanOrEqual(0);
        if (PICTURES !== undefined) await pictures(`table${path.replaceAll(/\W/g, '-')}`);
        await page.setViewportSize({ width, height: 800 });
      }
    },
    120_000,
  );

  it('types text without keys in the terminal, and leaves the shell of a page that is left', async () => {
    let typed = '';
    await page.routeWebSocket(/\/process$/, (socket) => {
      socket.onMessage((message) => {
        if (typeof message !== 'string') typed += message.subarray(1).toString();
      });
    });
    await open(`/terminal/${id}`);
    await page.getByText('Connected').waitFor();
    await page.keyboard.press('a');
    await page.keyboard.insertText('🙂 你好');
    await page.keyboard.press('b');
    await eventually(async () => typed.endsWith('b'));
    expect(typed).toBe('a🙂 你好b');
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))");
    await page.getByText('You left this page; the shell continues.').waitFor();
  }, 120_000);

  it('asks before an upload replaces a file, and a typed path replaces the one that is shown', async () => {
    const sent: string[] = [];
    await page.route('**/api/computers/*/directory*', (route) =>
      route.fulfill({
        json: {
          path: '/home/user',
          entries: [
            {
              name: 'notes.txt',
              type: 'file',
              size: 1,
              mtime: '2026-01-01T00:00:00Z',
              mode: '0644',
            },
          ],
        },
      }),
    );
    await page.route('**/api/computers/*/files*', (route) => {
      sent.push(new URL(route.request().url()).searchParams.get('path') ?? '');
      return route.fulfill({ json: { success: true } });
    });
    await open(`/computers/${id}/files`);
    await page.getByText('notes.txt').waitFor();
    const upload = (name: string) =>
      page
        .locator('input[type=file]:not([webkitdirectory])')
        .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('x') });
    await upload('notes.txt');
    await page.getByText('Replace notes.txt?').waitFor();
    await pictures('replace');
    await partsOf(page).confirm('Cancel');
    await upload('other.txt');
    await eventually(async () => sent.length === 1);
    await upload('notes.txt');
    await partsOf(page).confirm('Replace');
    await eventually(async () => sent.length === 2);
    expect(sent).toEqual(['/home/user/other.txt', '/home/user/notes.txt']);
    await partsOf(page).click('Type a path');
    await page.keyboard.type('/root');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/files?path=%2Froot');
  }, 120_000);

  it('shows texts and pictures, and uploads, downloads and deletes several entries', async () => {
    const facts = { mtime: '2026-01-01T00:00:00Z', mode: '0644' };
    const file = (name: string, size: number) => ({ name, type: 'file', size, ...facts });
    const entries = [
      { name: 'src', type: 'directory', size: 0, ...facts },
      ...[file('notes.txt', 9), file('dot.png', 90), file('data.bin', 4), file('big.txt', 9e9)],
    ];
    const dot = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#f00' } })
      .png()
      .toBuffer();
    const CONTENTS: Readonly<Record<string, Buffer>> = {
      'notes.txt': Buffer.from('first\n<b>'),
      'dot.png': dot,
      'data.bin': Buffer.from([0, 255, 1, 2]),
    };
    const asked: string[] = [];
    await page.route(/\/api\/computers\/\w+\/(directory|files|entry)/, (route) => {
      const request = route.request();
      const { searchParams, pathname } = new URL(request.url());
      const path = String(searchParams.get('path') ?? request.postDataJSON().path);
      if (request.method() !== 'GET') {
        asked.push(`${request.method()} ${path}`);
        return route.fulfill({ json: { success: true } });
      }
      if (pathname.endsWith('directory')) {
        return route.fulfill({ json: { path: '/home/user', entries } });
      }
      return route.fulfill({ body: CONTENTS[path.split('/').at(-1) ?? ''] });
    });
    await page.routeWebSocket(/\/process$/, (socket) => {
      socket.onMessage((start) => {
        asked.push(JSON.parse(String(start)).argv.join(' '));
        socket.send(Buffer.from([1, 7, 8]));
        socket.send(JSON.stringify({ type: 'exit', code: 0 }));
      });
    });
    await open(`/computers/${id}/files`);
    const dialog = partsOf(page).dialog();
    await partsOf(page).click('notes.txt');
    await dialog.getByText('<b>').waitFor();
    await inspect(page, 'preview');
    await pictures('preview');
    await page.keyboard.press('Escape');
    await partsOf(page).click('dot.png');
    await dialog.getByRole('img', { name: 'dot.png' }).waitFor();
    const width = "document.querySelector('dialog img').naturalWidth";
    await eventually(async () => (await page.evaluate(width)) === 9);
    await page.keyboard.press('Escape');
    await partsOf(page).click('data.bin');
    await dialog.getByText('neither a text nor a picture').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('link', { name: 'big.txt' }).count()).toBe(1);

    for (const name of ['src', 'dot.png']) await page.getByLabel(`Select ${name}`).click();
    await inspect(page, 'files-selected');
    await pictures('files-selected');
    const archive = await downloaded(page, () => partsOf(page).click('Download as tar.gz'));
    expect(archive).toBe('\x07\x08');
    await partsOf(page).click('Delete');
    await partsOf(page).confirm('Delete 2 entries');
    await page.getByText('2 deleted').waitFor();
    const folder = mkdtempSync(join(tmpdir(), 'vc-folder-'));
    mkdirSync(join(folder, 'sub'));
    for (const name of ['a.txt', 'sub/b.txt']) writeFileSync(join(folder, name), name);
    await page.locator('input[webkitdirectory]').setInputFiles(folder);
    await page.getByText('a.txt uploaded').waitFor();
    await page.getByText('b.txt uploaded').waitFor();
    rmSync(folder, { recursive: true });
    const top = `/home/user/${basename(folder)}`;
    expect(asked.sort()).toEqual(
      [
        'tar -czC /home/user -- src dot.png',
        ...['DELETE /home/user/src', 'DELETE /home/user/dot.png', `POST ${top}/sub`],
        ...[`PUT ${top}/a.txt`, `PUT ${top}/sub/b.txt`],
      ].sort(),
    );
  }, 120_000);
});
