// A suite of browser tests over several computers at once: each test has a computer to itself, with
// the application in it. Needs playwright-core. COMPUTERS says how many run at the same time (2).

import { type Browser, chromium, type Page } from 'playwright-core';
import { type ComputerHandle, VirtualComputers } from 'virtual-computers';

const SITE = `<title>Shop</title><h1>0 items</h1><input aria-label="Item"><ul></ul>
<button onclick="document.querySelector('ul').append(Object.assign(document.createElement('li'),
{ textContent: document.querySelector('input').value })); document.querySelector('h1').textContent =
document.querySelectorAll('li').length + ' items'">Add</button>`;

function expect(found: unknown, wanted: unknown): void {
  if (found !== wanted)
    throw new Error(`${JSON.stringify(wanted)} was expected, not ${JSON.stringify(found)}`);
}

/** Each gets the page of the application in a browser with an empty profile. */
const tests: Record<string, (page: Page, desk: ComputerHandle) => Promise<void>> = {
  'an empty shop says so': async (page) => {
    expect(await page.textContent('h1'), '0 items');
  },
  'an item is added with the page': async (page) => {
    await page.fill('input', 'Milk');
    await page.click('button');
    expect(await page.textContent('li'), 'Milk');
  },
  'an item is added as a person does it': async (page, desk) => {
    await page.focus('input');
    await page.waitForFunction('document.hasFocus()'); // the window has the keyboard
    await desk.type('Brot, 牛乳');
    await desk.key('Tab');
    await desk.key('Enter', { settle: true });
    expect(await page.textContent('li'), 'Brot, 牛乳');
  },
  'items are counted': async (page) => {
    for (const item of ['a', 'b', 'c']) {
      await page.fill('input', item);
      await page.click('button');
    }
    expect(await page.textContent('h1'), '3 items');
  },
};

/** A computer that serves the application. */
async function prepare(vc: VirtualComputers, project: string, name: string) {
  const desk = await vc.computers.create(project, { name });
  await desk.files.makeDirectory('site');
  await desk.files.write('site/index.html', `<meta charset="utf-8">${SITE}`);
  await desk.bash('python3 -m http.server 8000', { background: true, cwd: 'site' });
  await desk.bash('until curl -s localhost:8000 >/dev/null; do sleep 0.1; done', { check: true });
  return desk;
}

async function run(name: string, desk: ComputerHandle): Promise<boolean> {
  const startedAt = performance.now();
  let browser: Browser | undefined;
  try {
    const { ws_url } = await desk.browser({ profile: 'temporary', url: 'http://localhost:8000' });
    browser = await chromium.connectOverCDP(ws_url);
    const page = browser.contexts()[0]?.pages()[0];
    if (page === undefined) throw new Error('the browser has no page');
    await page.waitForLoadState();
    await tests[name]?.(page, desk);
    console.log(`ok      ${name} (${desk.name}, ${Math.round(performance.now() - startedAt)} ms)`);
    return true;
  } catch (error) {
    console.log(`FAILED  ${name} (${desk.name}): ${(error as Error).message}`);
    await desk.screenshotTo(`${name.replaceAll(' ', '-')}.png`); // what a person would have seen
    return false;
  } finally {
    await browser?.close();
  }
}

const vc = new VirtualComputers();
const project = `suite-${Date.now()}`;
const count = Number(process.env.COMPUTERS ?? 2);
await vc.projects.create(project);
try {
  const waiting = Object.keys(tests);
  const results = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const desk = await prepare(vc, project, `tester-${index + 1}`);
      const own: boolean[] = [];
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        own.push(await run(name, desk));
      }
      return own;
    }),
  );
  const all = results.flat();
  console.log(`${all.filter(Boolean).length} of ${all.length} passed on ${count} computers`);
  if (all.includes(false)) process.exitCode = 1;
} finally {
  await vc.projects.delete(project); // with its computers
  await vc.close();
}
