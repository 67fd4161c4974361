import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inspect, openWatched, type Watched } from '../../../../support/dashboard/checks.js';
import { logIn, partsOf } from '../../../../support/dashboard/parts.js';
import { eventually } from '../../../../support/eventually.js';
import { describeUnless } from '../../../../support/run/needs.js';
import { live, noBrowser, openBrowser, openPage } from '../../../../support/screen/browser.js';
import { type Desktop, openDesktop } from '../../../../support/service/desktop.js';

interface Person extends Watched {
  readonly keyId: string;
  readonly key: string;
}

describeUnless(noBrowser)('two people and an agent on one computer', () => {
  let desktop: Desktop;
  let browser: Browser;
  let anna: Person;
  let ben: Person;

  beforeAll(async () => {
    [desktop, browser] = await Promise.all([openDesktop(), openBrowser()]);
    await desktop.run('xterm -e "cat > /tmp/typed" >/dev/null 2>&1 &');
    await desktop.until('test -e /tmp/typed');
    anna = await person('anna', 'act');
    ben = await person('ben', 'manage');
  });
  afterAll(async () => {
    await browser?.close();
    for (const { keyId } of [anna, ben]) await desktop.service.http('DELETE', `/keys/${keyId}`);
    await desktop?.close();
  });

  /** Somebody with an own key, who looks at the computer in an own browser. */
  async function person(name: string, rights: string): Promise<Person> {
    const { http } = desktop.service;
    const { json: created } = await http('POST', '/keys', { name, rights });
    const watched = await openWatched(browser);
    await logIn(watched.page, await link(created.key, '/logins', {}));
    await watched.page.goto(new URL(`/computers/${desktop.id}`, watched.page.url()).href);
    await partsOf(watched.page).live();
    return { ...watched, keyId: created.id, key: created.key };
  }

  /** The link that the request of a key answers. */
  async function link(key: string, path: string, body: object): Promise<string> {
    const answer = await fetch(desktop.service.baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return ((await answer.json()) as { url: string }).url;
  }

  const path = () => `/computers/${desktop.id}`;
  /** The agent has another key, and sends input over HTTP; a click would take the focus. */
  const agentMoves = () => desktop.service.http('POST', `${path()}/move`, { x: 5, y: 5 });
  const typed = () => desktop.run('cat /tmp/typed');
  const says = ({ page }: Watched, text: string) => page.locator('.toolbar').getByText(text);
  const button = ({ page }: Watched, name: string) =>
    page.getByRole('button', { name, exact: true });
  const focused = ({ page }: Watched) =>
    page.locator('.screen[data-state="live"][data-mine="true"] textarea:focus').waitFor();

  it('shows to both that nobody has control, and takes the input of the agent', async () => {
    for (const each of [anna, ben]) await says(each, 'You are watching.').waitFor();
    expect((await agentMoves()).status).toBe(200);
  });

  it('shows to the other who has taken control, and refuses all other input', async () => {
    await button(anna, 'Take control').click();
    await focused(anna);
    await says(anna, 'You are in control.').waitFor();
    await says(ben, 'Controlled by anna').waitFor();
    await inspect(ben.page, 'computer-driven');
    await anna.page.keyboard.type('anna\n');
    await eventually(async () => (await typed()) === 'anna\n');

    const refused = await agentMoves();
    expect(refused.status).toBe(400);
    expect(refused.json.error).toMatch(/"anna" on the web page has control of "desktop" since/);
    expect(refused.remedy).toContain('Wait until it is given back.');

    // Ben's own link to the live view shows the screen, and takes nothing.
    const url = await link(ben.key, `${path()}/view`, { mode: 'control' });
    const { page } = await openPage(browser, url);
    await live(page);
    await page.locator('#screen canvas').focus();
    await page.keyboard.type('not ben\n');
    // Input of one socket is in order: what Anna types later is there, and Ben's is not.
    await anna.page.keyboard.type('still anna\n');
    await eventually(async () => (await typed()).endsWith('still anna\n'));
    expect(await typed()).toBe('anna\nstill anna\n');
    await page.close();
  });

  it('shows on the wall who drives the computer', async () => {
    const { page } = ben;
    await page.getByRole('link', { name: 'Computers' }).click();
    const tile = page.getByRole('listitem').filter({ hasText: desktop.project });
    await tile.getByText('controlled by anna').waitFor();
    await inspect(page, 'computers-driven');
    await tile.getByRole('link').click();
    await partsOf(page).live();
  });

  it('lets the other take over, and tells the first at once', async () => {
    // It disappears after some seconds.
    const notice = anna.page.getByText('ben (web page) took control.').waitFor();
    await button(ben, 'Take over').click();
    await notice;
    await focused(ben);
    await says(anna, 'Controlled by ben').waitFor();
    // Her key may use computers, but take control only from itself.
    expect(await button(anna, 'Take over').isDisabled()).toBe(true);
    await anna.page.keyboard.type('not anna\n');
    await ben.page.keyboard.type('ben\n');
    await eventually(async () => (await typed()).endsWith('ben\n'));
    expect(await typed()).toBe('anna\nstill anna\nben\n');
    expect((await agentMoves()).json.error).toContain('"ben" on the web page has control');
  });

  it('gives it back, and tells the agent in its next picture', async () => {
    await button(ben, 'Hand back').click();
    for (const each of [anna, ben]) await says(each, 'You are watching.').waitFor();
    expect((await agentMoves()).status).toBe(200);
    const picture = () => desktop.service.http('GET', `${path()}/screenshot`);
    const { control_returned_at } = (await picture()).json;
    expect(Date.parse(control_returned_at)).toBeLessThanOrEqual(Date.now());
    expect((await picture()).json).not.toHaveProperty('control_returned_at');
  });

  it('gives it back when the page is closed', async () => {
    await button(anna, 'Take control').click();
    await says(ben, 'Controlled by anna').waitFor();
    await anna.page.close({ runBeforeUnload: true });
    await says(ben, 'You are watching.').waitFor();
    expect((await agentMoves()).status).toBe(200);
  });

  it('raised no error and no violation of the policy', () => {
    expect([...anna.complaints, ...ben.complaints]).toEqual([]);
  });
});
