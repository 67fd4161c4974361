// A test of a web application in a real browser: what does its page show?

import { setTimeout as sleep } from 'node:timers/promises';
import { type ComputerHandle, VirtualComputers } from 'virtual-computers';

const PAGE = `<title>Shop</title><h1>2 items</h1>
<button onclick="document.querySelector('h1').textContent = '3 items'">Add</button>`;

/** Waits until the page shows a text, which is read as a person would: select all and copy. */
async function waitFor(desk: ComputerHandle, wanted: string): Promise<void> {
  let text = '';
  for (const end = Date.now() + 60_000; !text.includes(wanted); await sleep(200)) {
    if (Date.now() > end) throw new Error(`the page shows ${JSON.stringify(text)}`);
    await desk.key('ctrl+a');
    await desk.key('ctrl+c', { settle: true });
    text = await desk.clipboard();
  }
  console.log('the page shows:', text.split('\n')[0]);
}

const vc = new VirtualComputers();
const project = `browser-${Date.now()}`;
await vc.projects.create(project);
try {
  const desk = await vc.computers.create(project, { name: 'desk' });

  // The application: served inside the computer, so that nothing has to be reachable from it.
  await desk.files.makeDirectory('site');
  await desk.files.write('site/index.html', PAGE);
  await desk.bash('python3 -m http.server 8000', { background: true, cwd: 'site' });
  await desk.bash('until curl -s localhost:8000 >/dev/null; do sleep 0.1; done', { check: true });
  await desk.bash('setsid -f chromium --no-first-run http://localhost:8000 >/dev/null 2>&1');

  await waitFor(desk, '2 items');
  await desk.key('Tab'); // to the button
  await desk.key('Enter', { settle: true });
  await waitFor(desk, '3 items');
  await desk.screenshotTo('page.png');
} finally {
  await vc.projects.delete(project);
  await vc.close();
}
