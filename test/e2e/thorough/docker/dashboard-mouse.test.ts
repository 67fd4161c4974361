import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWatched, type Watched } from '../../../support/dashboard/checks.js';
import { type FirstRun, openFirstRun } from '../../../support/dashboard/first-run.js';
import { downloaded, dropFile, logIn, partsOf } from '../../../support/dashboard/parts.js';
import { eventually } from '../../../support/eventually.js';
import { describeUnless } from '../../../support/run/needs.js';
import { noBrowser, openBrowser } from '../../../support/screen/browser.js';

describeUnless(noBrowser)('the web page by mouse, from the first start of a service', () => {
  let service: FirstRun;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  let parts: ReturnType<typeof partsOf>;
  let key: string;
  let id: string;

  beforeAll(async () => {
    [service, browser] = await Promise.all([openFirstRun(), openBrowser()]);
    watched = await openWatched(browser);
    page = watched.page;
    parts = partsOf(page);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const goTo = async (name: string) => {
    await page.getByRole('navigation', { name: 'Pages' }).first().getByText(name).click();
    await parts.heading(name).waitFor();
  };
  /** Node.js does not resolve the name of the page. */
  const at = (path: string) => new URL(path, `http://127.0.0.1:${new URL(page.url()).port}`);
  /** A command in the computer, with the key that was made in the page. */
  const bash = async (command: string): Promise<string> => {
    const answer = await fetch(at(`/api/computers/${id}/bash`), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ command }),
    });
    return ((await answer.json()) as { stdout: string }).stdout;
  };

  it('opens the link of the first start, and says that there are no computers', async () => {
    await logIn(page, service.login);
    await page.getByText('No computers yet').waitFor();
  });

  it('creates and renames a project', async () => {
    await goTo('Projects');
    await parts.click('New project');
    await parts.dialog().getByLabel('Name').fill('shop');
    await parts.confirm('Create project');
    await parts.row('shop').waitFor();
    await parts.chooseBy('Actions of shop', 'Rename…');
    await parts.dialog().getByLabel('Name').fill('store');
    await parts.confirm('Rename project');
    await parts.row('store').waitFor();
  });

  it('sets a secret of the project', async () => {
    await parts.click('store', 'link');
    await parts.heading('store').waitFor();
    await parts.click('New secret');
    await parts.dialog().getByLabel('Name').fill('PIN');
    await parts.dialog().getByLabel('Value').fill('a secret value');
    await parts.confirm('Set secret');
    await parts.row('PIN').waitFor();
  });

  it('creates a key for the project, and copies it', async () => {
    await goTo('Keys');
    await parts.click('New key');
    await parts.dialog().getByLabel('Name').fill('agent');
    await parts.dialog().getByLabel('Rights').selectOption('act');
    await parts.dialog().getByLabel('Project').selectOption({ label: 'store' });
    await parts.confirm('Create key');
    await parts.confirm('Copy key');
    key = await eventually(async () => /^vc_\S+$/.exec(await parts.clipboard())?.[0]);
    await parts.confirm('Done');
    await parts.row('agent').getByText('store').waitFor();
  });

  it('creates a computer, shows it on the wall, and opens it', async () => {
    await goTo('Computers');
    await parts.click('New computer');
    await parts.dialog().getByLabel('Name').fill('desk');
    // A field until the projects are read.
    await parts.dialog().locator('select[name="project"]').selectOption('store');
    await parts.confirm('Create computer');
    const tile = parts.tile('desk');
    await tile.getByText('by default').waitFor();
    await tile.getByText('running').waitFor({ timeout: 300_000 });
    await tile.locator('img').waitFor();
    await tile.getByRole('link').click();
    await parts.live();
    id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  });

  it('takes control, clicks and types in the computer, and hands it back', async () => {
    await bash('xterm -geometry 60x15+150+120 -e "cat > /tmp/typed" >/dev/null 2>&1 & sleep 1');
    // An attempt before may have taken it.
    if ((await page.getByText('You are in control.').count()) === 0)
      await parts.click('Take control');
    // It has the focus when it is drawn again, with control.
    const canvas = page.locator('.screen[data-state="live"][data-mine="true"] canvas:focus');
    await canvas.waitFor();
    const box = await canvas.boundingBox();
    if (box === null) throw new Error('the page shows no screen');
    // The window of the terminal, which gets the focus by the click.
    await page.mouse.click(box.x + box.width * 0.25, box.y + box.height * 0.25);
    await page.keyboard.type('typed after a click\n');
    await eventually(async () => (await bash('cat /tmp/typed')) === 'typed after a click\n');
    await parts.click('Hand back');
    await page.getByText('You are watching').waitFor();
    // The secret has the value that was entered.
    const answer = await fetch(at(`/api/computers/${id}/type`), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: '{{secret:PIN}}\n', secrets: ['PIN'] }),
    });
    expect(answer.status, await answer.text()).toBe(200);
    await eventually(async () => (await bash('cat /tmp/typed')).endsWith('\na secret value\n'));
  });

  it('shows what an agent did, step by step', async () => {
    const agent = async (path: string, body: object) => {
      const answer = await fetch(at(`/api/computers/${id}/${path}`), {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(answer.status, path).toBe(200);
    };
    await agent('trajectory', {});
    for (const x of [200, 400, 600]) await agent('click', { x, y: 300 });
    await agent('trajectory/end', {});
    await parts.click('Trajectory', 'link');
    const title = page.getByRole('heading', { level: 2, name: / of 3/ });
    await title.filter({ hasText: '1 of 3' }).waitFor();
    await page.getByText('by agent').waitFor();
    await parts.click('Next step');
    await title.filter({ hasText: '2 of 3 Click at 400, 300' }).waitFor();
    await page.getByRole('button', { name: /Click at 600, 300/ }).click();
    await title.filter({ hasText: '3 of 3' }).waitFor();
    await parts.click('Previous step');
    const slider = page.getByRole('slider', { name: 'Step' });
    const box = await slider.boundingBox();
    if (box === null) throw new Error('the page shows no slider');
    await page.mouse.click(box.x + 2, box.y + box.height / 2);
    await title.filter({ hasText: '1 of 3' }).waitFor();
    await parts.click('Play');
    await title.filter({ hasText: '3 of 3' }).waitFor();
    const archive = await downloaded(page, () => parts.click('Download'));
    expect(archive.startsWith('trajectory.jsonl\0')).toBe(true);
    await parts.click('Delete…');
    await parts.confirm('Delete trajectory');
    await page.getByText('Nothing was recorded').waitFor();
  });

  it('takes a file that is dragged in, and downloads it', async () => {
    await parts.click('Files', 'link');
    await page.getByRole('button', { name: 'Documents', exact: true }).click();
    await page.getByText('The folder is empty').waitFor();
    await dropFile(page, 'notes.txt', 'dragged');
    const link = page.getByRole('link', { name: 'notes.txt' });
    await link.waitFor();
    expect(await downloaded(page, () => link.click())).toBe('dragged');
    expect(await bash('cat ~/Documents/notes.txt')).toBe('dragged');
  });

  it('runs a command in the terminal', async () => {
    await parts.click('Terminal', 'link');
    await page.getByText('Connected').waitFor();
    await page.locator('.xterm-screen').click();
    await page.keyboard.type('echo $((6 * 7)) > /tmp/from-terminal\n');
    await eventually(async () => (await bash('cat /tmp/from-terminal')) === '42\n');
    await page.getByRole('link', { name: 'Computer' }).click();
    await parts.live();
  });

  it('shows what was done in the audit log', async () => {
    const pages = page.getByRole('navigation', { name: 'Pages of the computer' });
    await pages.getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('row').filter({ hasText: 'takeControl' }).first().waitFor();
    await page
      .getByRole('row')
      .filter({ hasText: 'store/desk' })
      .filter({ hasText: 'agent' })
      .first()
      .waitFor();
  });

  it('revokes the key, which works no longer', async () => {
    await goTo('Keys');
    await parts.chooseBy('Actions of agent', 'Revoke…');
    await parts.confirm('Revoke key');
    await parts.row('agent').waitFor({ state: 'detached' });
    const { status } = await fetch(at('/api/projects'), {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(status).toBe(401);
  });

  it('deletes the computer and the project', async () => {
    await goTo('Computers');
    await parts.tile('desk').getByRole('link').click();
    await parts.chooseBy('Power', 'Delete…');
    await parts.confirm('Delete computer');
    await page.getByText('No computers yet').waitFor();
    await goTo('Projects');
    await parts.chooseBy('Actions of store', 'Delete…');
    await parts.confirm('Delete project');
    await page.getByText('No project yet').waitFor();
  });

  it('raised no error and no violation of the policy', () => {
    expect(watched.complaints).toEqual([]);
  });
});
