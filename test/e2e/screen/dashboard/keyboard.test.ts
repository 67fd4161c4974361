// @module-tag slow
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inspect, openWatched, type Watched } from '../../../support/dashboard/checks.js';
import { choose, goTo, pressOn, tabTo } from '../../../support/dashboard/keyboard.js';
import { downloaded, dropFile, HOSTILE, partsOf } from '../../../support/dashboard/parts.js';
import { eventually } from '../../../support/eventually.js';
import { describeUnless } from '../../../support/run/needs.js';
import { thorough } from '../../../support/run/tiers.js';
import { noBrowser, openBrowser } from '../../../support/screen/browser.js';
import { connectSharedService } from '../../../support/service/service.js';

const run = promisify(execFile);
const PROJECT = 'dash';
/** Plain ones in pictures, which the documentation shows. */
const IS_PICTURED = process.env.VC_TEST_PICTURES !== undefined;
const RENAMED = IS_PICTURED ? 'demo' : 'dash-two';
const NAME = IS_PICTURED ? 'desk' : HOSTILE;

describeUnless(noBrowser)('the web page by keyboard alone', () => {
  let service: ReturnType<typeof connectSharedService>;
  let browser: Browser;
  let watched: Watched;
  let page: Page;

  beforeAll(async () => {
    service = connectSharedService();
    browser = await openBrowser();
    watched = await openWatched(browser);
    page = watched.page;
  });
  afterAll(async () => {
    await browser?.close();
    for (const name of [PROJECT, RENAMED]) await service.http('DELETE', `/projects/${name}`);
    await service?.close();
  });

  const heading = (name: string) => partsOf(page).heading(name);
  const dialog = () => partsOf(page).dialog();
  const row = (name: string) => partsOf(page).row(name);
  const bash = async (id: string, command: string) => {
    const { json } = await service.http('POST', `/computers/${id}/bash`, { command });
    return json.stdout as string;
  };
  /** Opens a dialog by keyboard; its first field has the focus then. */
  const openDialog = async (name: string) => {
    await pressOn(page.getByRole('button', { name }));
    await page.locator('dialog :focus').waitFor();
  };
  const idOfPage = () => new URL(page.url()).pathname.split('/')[2] ?? '';

  it('logs in with a link that works once, and keeps it out of the address', async () => {
    const { json } = await service.http('POST', '/logins', {});
    await page.goto(json.url);
    await heading('Overview').waitFor();
    expect(page.url()).toBe(new URL('/', service.baseUrl).href);
    await inspect(page, 'overview-empty');
    const second = await openWatched(browser);
    await second.page.goto(json.url);
    await second.page.getByRole('alert').getByText('link').waitFor();
    await second.context.close();
  });

  it('creates a project and a key by keyboard, and copies the key', async () => {
    await goTo(page, 'Projects');
    await openDialog('New project');
    await page.keyboard.type(PROJECT);
    await inspect(page, 'project-new');
    await page.keyboard.press('Enter');
    await row(PROJECT).waitFor();
    await choose(page, `Actions of ${PROJECT}`, 'Rename…');
    await page.locator('dialog :focus').waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(RENAMED);
    await page.keyboard.press('Enter');
    await row(RENAMED).waitFor();
    await inspect(page, 'projects');

    await goTo(page, 'Keys');
    await openDialog('New key');
    await page.keyboard.type(NAME);
    await tabTo(dialog().getByLabel('Rights'));
    await page.keyboard.press('ArrowDown');
    await choose(page, 'Copy as', 'vc');
    const { clipboard } = partsOf(page);
    await eventually(async () => (await clipboard()).includes('-f rights=act'));
    await pressOn(dialog().getByRole('button', { name: 'Create key' }));
    await dialog().getByText('It is shown only this once').waitFor();
    await inspect(page, 'key-new');
    await pressOn(dialog().getByRole('button', { name: 'Copy key' }));
    const key = await eventually(async () => /^vc_\S+$/.exec(await clipboard())?.[0]);
    await pressOn(dialog().getByRole('button', { name: 'Done' }));
    expect(await page.content()).not.toContain(key);
    expect(await row(NAME).innerText()).toContain('act');
    await inspect(page, 'keys');
  });

  it('copies a request as a program in Python and in TypeScript, which send it', async () => {
    const { clipboard } = partsOf(page);
    const env = {
      PATH: process.env.PATH,
      PYTHONPATH: new URL('../../../../clients/python', import.meta.url).pathname,
      VC_API_KEY: service.apiKey,
    };
    await goTo(page, 'Projects');
    for (const [form, program, words] of [
      ['Python', '/usr/bin/python3', ['-c']],
      ['TypeScript', process.execPath, ['--input-type=module', '--eval']],
    ] as const) {
      const name = `of-${form.toLowerCase()}`;
      await openDialog('New project');
      await page.keyboard.type(name);
      await choose(page, 'Copy as', form);
      const copied = await eventually(async () => {
        const text = await clipboard();
        return text.includes(name) && text;
      });
      await page.keyboard.press('Escape');
      await dialog().waitFor({ state: 'detached' });
      const { stdout } = await run(program, [...words, copied], { env });
      expect(stdout).toContain(name);
      expect((await service.http('DELETE', `/projects/${name}`)).status).toBe(200);
    }
  });

  thorough('sets, replaces and deletes secrets of the project, and shows no value', async () => {
    await goTo(page, 'Projects');
    await pressOn(page.getByRole('link', { name: RENAMED, exact: true }));
    await heading(RENAMED).waitFor();
    for (const name of ['SHOP_PASSWORD', 'SHOP_PIN']) {
      await openDialog('New secret');
      await page.keyboard.type(name);
      await tabTo(dialog().getByLabel('Value'));
      await page.keyboard.type('a secret value');
      if (name === 'SHOP_PASSWORD') await inspect(page, 'secret-new');
      await page.keyboard.press('Enter');
      await row(name).waitFor();
    }
    await choose(page, 'Actions of SHOP_PIN', 'Replace…');
    await page.locator('dialog :focus').waitFor();
    await page.keyboard.type('1234');
    await page.keyboard.press('Enter');
    await dialog().waitFor({ state: 'detached' });
    await inspect(page, 'project');
    expect(await page.content()).not.toMatch(/a secret value|1234/);
    await choose(page, 'Actions of SHOP_PIN', 'Delete…');
    await pressOn(dialog().getByRole('button', { name: 'Delete secret' }));
    await row('SHOP_PIN').waitFor({ state: 'detached' });
    const left = await service.http('GET', `/projects/${RENAMED}/secrets`);
    expect(left.json.secrets).toMatchObject([{ name: 'SHOP_PASSWORD' }]);
  });

  it('creates a computer and shows it on the wall, as starting and then its picture', async () => {
    await goTo(page, 'Computers');
    await openDialog('New computer');
    await page.keyboard.type(NAME);
    await tabTo(dialog().getByLabel('Project'));
    await page.keyboard.type(RENAMED);
    await inspect(page, 'computer-new');
    await pressOn(dialog().getByRole('button', { name: 'Create computer' }));
    const tile = partsOf(page).tile(NAME);
    await tile.getByText(/starting|running/).waitFor();
    await tile.getByText('running').waitFor({ timeout: 60_000 });
    await tile.locator('img').waitFor();
    await tile.getByText('by default').waitFor();
    await inspect(page, 'computers');
  });

  it('shows on the wall that a screen is recorded, as long as it is', async () => {
    const tile = partsOf(page).tile(NAME);
    const { json } = await service.http('GET', '/computers');
    const [computer] = json.computers.filter(({ name }: { name: string }) => name === NAME);
    const left = new AbortController();
    const recording = await fetch(`${service.baseUrl}/computers/${computer.id}/record`, {
      headers: { authorization: `Bearer ${service.apiKey}` },
      signal: left.signal,
    });
    expect(recording.status).toBe(200);
    await tile.getByText('recording').waitFor();
    await inspect(page, 'computers-recorded');
    left.abort();
    await tile.getByText('recording').waitFor({ state: 'detached' });
  });

  it('shows the screen, takes control, types, and leaves the screen by keyboard', async () => {
    await pressOn(page.getByRole('link', { name: NAME }));
    await page.locator('.screen[data-state="live"]').waitFor();
    const id = idOfPage();
    await bash(id, 'xterm -e "cat > /tmp/typed" >/dev/null 2>&1 & sleep 1');
    await inspect(page, 'computer');
    await page.keyboard.type('not typed');
    await pressOn(page.getByRole('button', { name: 'Take control' }));
    await page.getByRole('button', { name: 'Hand back' }).waitFor();
    await page.locator('.screen[data-state="live"] textarea:focus').waitFor();
    await page.keyboard.type('hello from the page\n');
    await eventually(async () => (await bash(id, 'cat /tmp/typed')) === 'hello from the page\n');
    // As an input method, a dead key and a list of emoji give it.
    await page.keyboard.insertText('你好 é 🙂');
    await page.keyboard.press('Enter');
    await eventually(async () => (await bash(id, 'cat /tmp/typed')).endsWith('\n你好 é 🙂\n'));
    await inspect(page, 'computer-control');
    for (const key of ['Control', 'Alt', 'Shift']) await page.keyboard.down(key);
    for (const key of ['Shift', 'Alt', 'Control']) await page.keyboard.up(key);
    await tabTo(page.getByRole('button', { name: 'Hand back' }));
    await page.keyboard.press('Enter');
    await page.getByText('You are watching').waitFor();
  });

  it('shares the computer with another person, and shows who watches', async () => {
    await choose(page, 'Actions', 'Share…');
    await dialog().getByLabel('Name').fill('guest');
    await inspect(page, 'share');
    await pressOn(dialog().getByRole('button', { name: 'Create key' }));
    await dialog().getByText('Send both').waitFor();
    await inspect(page, 'shared');
    const text = (name: string) => dialog().getByRole('region', { name }).locator('code');
    const [address, key] = [await text('Address').innerText(), await text('Key').innerText()];
    await pressOn(dialog().getByRole('button', { name: 'Done' }));
    const guest = await openWatched(browser);
    await guest.page.goto(address);
    await guest.page.getByLabel('API key').fill(key);
    await guest.page.keyboard.press('Enter');
    await partsOf(guest.page).live();
    expect(await guest.page.getByRole('button', { name: 'Take control' }).count()).toBe(0);
    const watching = page.locator('.toolbar').getByText('2 watching');
    await watching.filter({ hasText: 'guest' }).waitFor();
    await inspect(page, 'computer-watched');
    await guest.page.goto(new URL('/computers', address).href);
    await watching.waitFor({ state: 'detached' });
    await partsOf(guest.page).tile(NAME).getByText('1 watching').waitFor();
    await inspect(guest.page, 'computers-watched');
    const { json } = await service.http('GET', '/keys');
    const { id, rights } = json.keys.find(({ name }: { name: string }) => name === 'guest');
    expect(rights).toBe('look');
    await service.http('DELETE', `/keys/${id}`);
    await guest.page.getByText('Your session has ended').waitFor();
    await guest.context.close();
  });

  thorough('records actions, and shows each with its pictures by keyboard', async () => {
    const pages = page.getByRole('navigation', { name: 'Pages of the computer' });
    await pressOn(pages.getByRole('link', { name: 'Trajectory' }));
    await page.getByText('Nothing was recorded').waitFor();
    await openDialog('Record…');
    await pressOn(dialog().getByRole('button', { name: 'Start recording' }));
    await page.getByText('No steps yet').waitFor();
    const id = idOfPage();
    const act = (action: string, body: object) =>
      service.http('POST', `/computers/${id}/${action}`, body);
    await act('click', { x: 640, y: 400 });
    await act('type', { text: NAME });
    await act('drag', { start_x: 300, start_y: 200, end_x: 900, end_y: 600, duration: 0 });
    await act('type', { text: '{{secret:SHOP_PASSWORD}}', secrets: ['SHOP_PASSWORD'] });
    await act('move', { x: 5000, y: 1 });
    // They appear while they are recorded.
    const title = page.getByRole('heading', { level: 2, name: / of \d+/ });
    await page.getByText('/ 0:').waitFor();
    await pressOn(page.getByRole('button', { name: 'End recording' }));
    await page.getByRole('button', { name: 'Record again…' }).waitFor();
    await page.getByRole('button', { name: /Move the pointer to 5000, 1/ }).waitFor();
    await title.filter({ hasText: '1 of 5 Click at 640, 400' }).waitFor();
    const mark = page.getByRole('figure').first().locator('circle').first();
    expect(await mark.getAttribute('cx')).toBe('50.000%');

    await page.keyboard.press('ArrowRight');
    // The character that reverses the text after it is replaced.
    await title.filter({ hasText: NAME.replace('\u202e', '\ufffd') }).waitFor();
    await page.keyboard.press('End');
    await title.filter({ hasText: '5 of 5' }).waitFor();
    await page.getByText('off screen', { exact: true }).first().waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await title.filter({ hasText: '3 of 5 Drag from 300, 200 to 900, 600' }).waitFor();
    await page.getByRole('figure').nth(1).locator('.pointer').waitFor();
    await inspect(page, 'trajectory');
    await tabTo(page.getByRole('slider', { name: 'Step' }));
    await page.keyboard.press('ArrowRight');
    await title.filter({ hasText: '4 of 5 Type “{{secret:SHOP_PASSWORD}}”' }).waitFor();
    expect(await page.content()).not.toContain('a secret value');

    // The address is of this step.
    await eventually(async () => new URL(page.url()).searchParams.get('step') === '4');
    await page.reload();
    await title.filter({ hasText: '4 of 5' }).waitFor();
    await page.getByLabel('Speed').selectOption('20');
    await pressOn(page.getByRole('button', { name: 'Play' }));
    await title.filter({ hasText: '5 of 5' }).waitFor();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await pressOn(page.getByRole('button', { name: 'Copy commands' }));
    const { clipboard } = partsOf(page);
    await eventually(async () => (await clipboard()).includes('--secret SHOP_PASSWORD'));
    await pressOn(page.getByRole('button', { name: 'Delete…' }));
    await pressOn(dialog().getByRole('button', { name: 'Delete trajectory' }));
    await page.getByText('Nothing was recorded').waitFor();
  });

  thorough('takes files that are dragged in, and streams them back', async () => {
    await pressOn(page.getByRole('link', { name: 'Files' }));
    await page.getByRole('button', { name: 'Documents', exact: true }).waitFor();
    await dropFile(page, '<b>notes.txt', 'dragged');
    const name = page.getByRole('button', { name: '<b>notes.txt', exact: true });
    await name.waitFor();
    await inspect(page, 'files');
    await pressOn(name);
    await dialog().getByText('dragged').waitFor();
    await inspect(page, 'files-preview');
    const link = dialog().getByRole('link', { name: 'Download' });
    expect(await downloaded(page, () => pressOn(link))).toBe('dragged');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await pressOn(page.getByRole('link', { name: 'Settings' }));
    await page.getByRole('heading', { name: 'About' }).waitFor();
    await inspect(page, 'settings');
  });

  thorough('opens a shell in the terminal, and leaves it by keyboard', async () => {
    const frame = page.frameLocator('iframe[title="Terminal"]');
    const rows = frame.locator('.xterm-rows');
    await pressOn(page.getByRole('link', { name: 'Terminal' }));
    await frame.getByText('Connected').waitFor();
    await rows.filter({ hasText: '~$' }).waitFor();
    await page.keyboard.type('echo $((6 * 7)); touch /tmp/from-terminal\n');
    const id = idOfPage();
    await eventually(async () => (await bash(id, 'ls /tmp')).includes('from-terminal'));
    await rows.getByText('42', { exact: true }).first().waitFor();
    await inspect(page, 'terminal');
    await page.keyboard.type('clear\n');
    await page.reload();
    await frame.getByText('Connected').waitFor();
    await rows.filter({ hasText: '~$' }).waitFor();
    for (const key of ['Control', 'Alt', 'Shift']) await page.keyboard.down(key);
    for (const key of ['Shift', 'Alt', 'Control']) await page.keyboard.up(key);
    await page.keyboard.press('Enter');
    await page.locator('.screen').waitFor();
  });

  it('continues the shell of a terminal after a reload, and ends it with its terminal', async () => {
    const id = idOfPage();
    const rows = page.frameLocator('iframe[title="Terminal 1"]').locator('.xterm-rows');
    await pressOn(page.getByRole('button', { name: 'Terminals', exact: true }));
    await rows.filter({ hasText: '~$' }).waitFor();
    await page.keyboard.type('kept=yes; sleep 4321 & echo begun\n');
    await rows.getByText('begun', { exact: true }).waitFor();
    await page.reload();
    await rows.getByText('begun', { exact: true }).waitFor();
    await page.keyboard.type('echo still $kept\n');
    await rows.getByText('still yes', { exact: true }).waitFor();
    await inspect(page, 'terminal-beside');
    const runs = async () => (await bash(id, 'pgrep -fc "^sleep 4321"')).trim() === '1';
    expect(await runs()).toBe(true);
    await page.getByRole('button', { name: 'Close terminal 1' }).click();
    await eventually(async () => !(await runs()));
  });

  thorough('shows the activity, streams, webhooks, images and usage', async () => {
    const pages = page.getByRole('navigation', { name: 'Pages of the computer' });
    await pressOn(pages.getByRole('link', { name: 'Activity' }));
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'takeControl' }).first().waitFor();
    await inspect(page, 'activity');
    for (const [name, shown] of [
      ['Overview', 'Running computers'],
      ['Streams', 'Targets'],
      ['Webhooks', 'New webhook'],
      ['Images', 'linux'],
      ['Usage', 'By project'],
    ] as const) {
      await goTo(page, name);
      await page.getByText(shown).first().waitFor();
      await inspect(page, name.toLowerCase());
    }
    await goTo(page, 'Images');
    await pressOn(page.getByRole('button', { name: 'Actions of linux', exact: true }).first());
    await pressOn(page.getByRole('menuitem', { name: 'Details…' }).first());
    await dialog().getByText('Computers').waitFor();
    await inspect(page, 'image');
    await page.keyboard.press('Escape');
  });

  it('says that the service is away, and continues when it is back', async () => {
    await goTo(page, 'Projects');
    await row(RENAMED).waitFor();
    const before = watched.complaints.length;
    await watched.context.setOffline(true);
    await goTo(page, 'Keys');
    await page.getByText('The service is not reachable').waitFor();
    await inspect(page, 'away');
    await watched.context.setOffline(false);
    await row(NAME).waitFor();
    expect(await page.getByText('The service is not reachable').count()).toBe(0);
    // The browser reports each request that fails.
    const failed = watched.complaints.splice(before);
    expect(failed.filter((text) => !/ERR_INTERNET_DISCONNECTED/.test(text))).toEqual([]);
  });

  it('revokes the key, and deletes the computer and the project, by keyboard', async () => {
    await choose(page, `Actions of ${NAME}`, 'Revoke…');
    await pressOn(dialog().getByRole('button', { name: 'Revoke key' }));
    await row(NAME).waitFor({ state: 'detached' });
    await goTo(page, 'Computers');
    await pressOn(page.getByRole('link', { name: NAME }));
    await choose(page, 'Actions', 'Delete…');
    await inspect(page, 'computer-delete');
    await pressOn(dialog().getByRole('button', { name: 'Delete computer' }));
    await heading('Computers').waitFor();
    await goTo(page, 'Projects');
    await choose(page, `Actions of ${RENAMED}`, 'Delete…');
    await pressOn(dialog().getByRole('button', { name: 'Delete project' }));
    await row(RENAMED).waitFor({ state: 'detached' });
  });

  it('shows each error with its text, its remedy and the id of the request', async () => {
    const before = watched.complaints.length;
    await openDialog('New project');
    await page.keyboard.type('by-name');
    await page.keyboard.press('Enter');
    const alert = dialog().getByRole('alert');
    await alert.getByText(/req_/).waitFor();
    await inspect(page, 'error');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    const failed = watched.complaints.splice(before);
    expect(failed.filter((text) => !/status of 400/.test(text))).toEqual([]);
  });

  it('raised no error and no violation of the policy', () => {
    expect(watched.complaints).toEqual([]);
  });
});
