// @module-tag slow
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { describeUnless } from '../../support/run/needs.js';
import { promise } from '../../support/run/promise.js';
import { leaveOut, thorough } from '../../support/run/tiers.js';
import {
  canvasPixels,
  live,
  noBrowser,
  openBrowser,
  openPage,
  pointOn,
} from '../../support/screen/browser.js';
import { type Desktop, openDesktop } from '../../support/service/desktop.js';
import { openViewer } from '../../support/viewer.js';

describeUnless(noBrowser)('the live view in a browser', () => {
  let desktop: Desktop;
  let browser: Browser;
  const pages: Page[] = [];

  beforeAll(async () => {
    [desktop, browser] = await Promise.all([openDesktop(), openBrowser()]);
    await desktop.run(
      `printf 'stty -icanon -echo; exec cat > /tmp/keys\\n' > /tmp/keys.sh
      xterm -geometry 60x15+150+120 -T keys -e sh /tmp/keys.sh >/dev/null 2>&1 &
      xev -geometry 300x200+800+400 -event mouse >> /tmp/xev.log 2>&1 &`,
    );
    await desktop.until(
      'xdotool search --onlyvisible --name "^keys$" >/dev/null && test -e /tmp/keys',
    );
    await desktop.until('xdotool search --onlyvisible --name "Event Tester" >/dev/null');
    await desktop.computer.wait({ until: 'stable' });
  });
  afterAll(async () => {
    await browser?.close();
    await desktop?.close();
  });

  async function open(mode: 'view' | 'control') {
    for (const page of pages.splice(0)) await page.close();
    const { url } = await desktop.computer.view(mode);
    const opened = await openPage(browser, url);
    pages.push(opened.page);
    await live(opened.page);
    return { ...opened, url };
  }

  const pixels = async () =>
    sharp(await desktop.computer.screenshot({ cursor: true }))
      .removeAlpha()
      .raw()
      .toBuffer();

  /** A point in a window, in screen coordinates. */
  async function inside(name: string, x: number, y: number): Promise<[number, number]> {
    const found = await desktop.run(
      `xwininfo -id $(xdotool search --onlyvisible --name '${name}' | head -1)`,
    );
    const corner = (axis: string) =>
      Number(new RegExp(`Absolute upper-left ${axis}:\\s+(-?\\d+)`).exec(found)?.[1]);
    return [corner('X') + x, corner('Y') + y];
  }

  const showsDesktop = (page: Page) =>
    eventually(async () => (await canvasPixels(page)).equals(await pixels()), 20_000);

  it('shows the exact pixels of the desktop', async () => {
    const { page, complaints } = await open('view');
    await showsDesktop(page);
    expect(await page.title()).toBe(`${desktop.name} – vc`);
    expect(await page.locator('#view-only').isVisible()).toBe(true);
    expect(complaints, 'no complaint, no breach of the policy').toEqual([]);
  });

  promise(6, 'loads from the service only, and keeps the ticket out of its address', async () => {
    const { page, requests, url } = await open('control');
    const ticket = url.slice(url.indexOf('#') + 1);
    expect(page.url()).not.toContain(ticket);
    const { origin } = new URL(url);
    for (const request of requests) {
      const isOurs = request.startsWith(origin) || request.startsWith('data:');
      expect(isOurs, request).toBe(true);
    }
    expect(requests.slice(1).join()).not.toContain(ticket);
    expect(desktop.service.log()).not.toContain(ticket);
  });

  thorough(
    'follows a screen that changes constantly, and shows its last frame exactly',
    async () => {
      const { page } = await open('view');
      const noise = 'for i in $(seq 300); do date +%N%N%N%N%N; done; sleep 1';
      await desktop.run(
        `xterm -geometry 100x40+50+50 -T noise -e sh -c '${noise}' >/dev/null 2>&1 &`,
      );
      await desktop.until('xdotool search --onlyvisible --name "^noise$" >/dev/null');
      await desktop.until('! xdotool search --onlyvisible --name "^noise$" >/dev/null');
      await desktop.computer.wait({ until: 'stable' });
      await showsDesktop(page);
    },
  );

  it('sends clicks and keys to the program in the computer', async () => {
    const { page } = await open('control');
    await desktop.run(': > /tmp/xev.log; : > /tmp/keys');
    const [ex, ey] = await inside('Event Tester', 100, 60);
    await page.mouse.click(...(await pointOn(page, ex, ey)));
    const press = await eventually(async () => {
      const text = await desktop.run('cat /tmp/xev.log');
      return text.split('\n\n').find((event) => event.trim().startsWith('ButtonPress'));
    });
    expect(press).toContain('(100,60)');
    expect(press).toContain('button 1');

    const [kx, ky] = await inside('^keys$', 50, 50);
    await page.mouse.click(...(await pointOn(page, kx, ky)));
    expect(await page.locator('#focus-hint').isVisible()).toBe(false);
    // The window manager moves the focus with a delay.
    await desktop.until('test "$(xdotool getwindowfocus getwindowname)" = keys');
    const text = 'Hello, World! [1+1=2] {~|\\}';
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    const typed = async () => (await desktop.run('cat /tmp/keys')).replaceAll('\0', '');
    await eventually(async () => (await typed()) === `${text}\n`);
  });

  promise(6, 'sends no input with a view ticket, even without the page', async () => {
    const { page } = await open('view');
    await desktop.run(': > /tmp/keys; : > /tmp/xev.log');
    const [kx, ky] = await inside('^keys$', 50, 50);
    await page.mouse.click(...(await pointOn(page, kx, ky)));
    await page.keyboard.type('nobody may type this');
    const { url } = await desktop.computer.view('view');
    const viewer = openViewer(url);
    expect(await viewer.first).toMatchObject({ type: 'ready', mode: 'view' });
    viewer.stream.write(Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.from([1, 1])]));
    for (const letter of 'nor this') {
      const keysym = letter.charCodeAt(0);
      viewer.stream.write(Buffer.from([4, 1, 0, 0, 0, 0, 0, keysym, 4, 0, 0, 0, 0, 0, 0, keysym]));
    }
    await desktop.computer.wait({ seconds: 1 });
    viewer.socket.close();
    expect((await desktop.run('cat /tmp/keys /tmp/xev.log; echo end')).replaceAll('\0', '')).toBe(
      'end\n',
    );
  });

  thorough('releases held buttons when the page closes', async () => {
    const { page } = await open('control');
    const [ex, ey] = await inside('Event Tester', 20, 20);
    await page.mouse.move(...(await pointOn(page, ex, ey)));
    await desktop.run(': > /tmp/xev.log');
    await page.mouse.down();
    await eventually(async () => (await desktop.run('cat /tmp/xev.log')).includes('ButtonPress'));
    await page.close();
    pages.length = 0;
    await eventually(async () => (await desktop.run('cat /tmp/xev.log')).includes('ButtonRelease'));
  });

  thorough('copies text through the clipboard both ways', async () => {
    const { page } = await open('control');
    await page.click('#clipboard-button');
    await page.fill('#clipboard-text', 'für Sie: 世界');
    await page.click('#clipboard-send');
    await desktop.until(
      `test "$(timeout 1 xclip -o -selection clipboard 2>/dev/null)" = 'für Sie: 世界'`,
    );
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate("navigator.clipboard.writeText('mine')");
    const copy = async (text: string) => {
      await desktop.run(`printf '${text}' | xclip -selection clipboard >/dev/null 2>&1`);
      await eventually(async () => (await page.inputValue('#clipboard-text')) === text);
      return page.evaluate('navigator.clipboard.readText()');
    };
    expect(await copy('von drinnen: 你好'), 'unasked').toBe('mine');
    await page.keyboard.press('Control+c');
    expect(await copy('asked for')).toBe('asked for');
  });

  promise(6, 'opens once, and explains why it does not open again', async () => {
    const { url } = await open('control');
    const second = await openPage(browser, url);
    pages.push(second.page);
    await second.page.waitForSelector('body[data-state="closed"]');
    expect(await second.page.textContent('#message')).toMatch(/no longer works.*vc view/s);
  });

  thorough('explains how to get a ticket', async () => {
    const { url } = await desktop.computer.get();
    const { page } = await openPage(browser, String(url));
    pages.push(page);
    await page.waitForSelector('body[data-state="closed"]');
    expect(await page.textContent('#message')).toContain(`vc view ${desktop.id}`);
  });

  (inject('engine') === 'docker' ? thorough : leaveOut)(
    'continues after a restart, and closes with the reason when the computer stops',
    async () => {
      const { page } = await open('view');
      await desktop.computer.restart();
      await desktop.computer.wait({ until: 'stable' });
      await showsDesktop(page);
      expect(await page.getAttribute('body', 'data-state')).toBe('live');
      await desktop.computer.stop();
      await page.waitForSelector('body[data-state="closed"]');
      expect(await page.textContent('#message')).toContain('The computer is not running');
    },
  );
});
