// @module-tag thorough
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inspect, openWatched, type Watched } from '../../support/dashboard/checks.js';
import { choose, goTo, pressOn } from '../../support/dashboard/keyboard.js';
import { logIn, partsOf } from '../../support/dashboard/parts.js';
import { eventually } from '../../support/eventually.js';
import { describeUnless } from '../../support/run/needs.js';
import { noBrowser, openBrowser } from '../../support/screen/browser.js';
import { openTestService, type TestService } from '../../support/service/service.js';

describeUnless(noBrowser)('the page of the members of a cluster', () => {
  // A drain would keep other tests from creating computers.
  let service: TestService;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  let name: string;
  let id: string;

  beforeAll(async () => {
    [service, browser] = await Promise.all([openTestService(), openBrowser()]);
    watched = await openWatched(browser);
    page = watched.page;
    [name] = (await service.http('GET', '/cluster/members')).json.members.map(
      (member: { name: string }) => member.name,
    );
    await service.http('POST', '/projects', { name: 'hosts' });
    ({ id } = (await service.http('POST', '/projects/hosts/computers', { name: 'desk' })).json);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const row = () => page.getByRole('row').filter({ hasText: name });
  const dialog = () => partsOf(page).dialog();

  it('shows each member as the cluster reports it, and its computers', async () => {
    const { json } = await service.http('POST', '/logins', {});
    await logIn(page, json.url);
    await goTo(page, 'Hosts');
    await row().getByText('online').waitFor();
    await row().getByText('1 of 1 run').waitFor();
    const shown = await row().innerText();
    const member = (await service.http('GET', `/cluster/members/${name}`)).json;
    expect(member).toMatchObject({ computer_count: 1, running_count: 1 });
    for (const text of [member.architecture, member.address, String(member.cpu), 'free']) {
      expect(shown).toContain(text);
    }
    await inspect(page, 'hosts');
    await pressOn(row().getByRole('link'));
    await partsOf(page).tile('desk').waitFor();
    expect(new URL(page.url()).search).toBe(`?member=${name}`);
    expect(await page.getByLabel('All members').inputValue()).toBe(name);
  });

  it('drains a member after it has said what happens, and shows what could not be moved', async () => {
    await goTo(page, 'Hosts');
    await choose(page, `Actions of ${name}`, 'Drain…');
    await dialog().getByText('what they have not saved is lost').waitFor();
    await dialog().getByText('No other member takes computers now').waitFor();
    await inspect(page, 'host-drain');
    const { clipboard } = partsOf(page);
    await choose(page, 'Copy as', 'vc');
    await eventually(async () => (await clipboard()) === `vc cluster drain ${name} --detach`);
    await choose(page, 'Copy as', 'curl');
    await eventually(async () =>
      (await clipboard()).includes(`/api/cluster/members/${name}/drain`),
    );
    await pressOn(dialog().getByRole('button', { name: 'Drain member' }));
    await row().getByText('draining').waitFor();
    await page.getByText('No other member takes computers.', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'hosts/desk' }).waitFor();
    await inspect(page, 'host-draining');
    const { status } = (await service.http('GET', `/computers/${id}`)).json;
    expect(status).toBe('running');
  });

  it('follows what others do, returns the member, and shows an error with its request', async () => {
    await service.http('DELETE', `/computers/${id}`);
    await row().getByText('drained', { exact: true }).waitFor();
    await choose(page, `Actions of ${name}`, 'Return…');
    await dialog().getByText('may have new computers again').waitFor();
    await pressOn(dialog().getByRole('button', { name: 'Return member' }));
    await row().getByText('online').waitFor();
    expect((await service.http('GET', `/cluster/members/${name}`)).json.drain).toBe(null);

    await choose(page, `Actions of ${name}`, 'Drain…');
    await page.route('**/drain', (route) =>
      route.continue({ url: route.request().url().replace(name, 'gone') }),
    );
    const before = watched.complaints.length;
    await pressOn(dialog().getByRole('button', { name: 'Drain member' }));
    const alert = dialog().getByRole('alert');
    await alert.getByText('There is no cluster member "gone".').waitFor();
    await alert.getByText('vc cluster ls').waitFor();
    await alert.getByText(/req_/).waitFor();
    const failed = watched.complaints.splice(before);
    expect(failed.filter((text) => !/status of 404/.test(text))).toEqual([]);
    expect(watched.complaints).toEqual([]);
  });
});
