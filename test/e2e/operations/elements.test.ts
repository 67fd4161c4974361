// @module-tag thorough
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { itUnless } from '../../support/run/needs.js';
import { type Desktop, openDesktop } from '../../support/service/desktop.js';

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());

/** An emulated machine may take minutes to start a program. */
const MS = 300_000;

const find = async (conditions: Parameters<Desktop['computer']['find']>[0]) =>
  (await desktop.computer.find(conditions)).elements[0];
const present = (conditions: Parameters<Desktop['computer']['find']>[0]) =>
  eventually(() => find(conditions), MS);

it("an editor's menus and text are elements, and a click opens a menu", async () => {
  await desktop.run('pkill -x mousepad; printf "first line\\nsecond" >/tmp/note.txt; true');
  await desktop.run('mousepad /tmp/note.txt >/dev/null 2>&1 &');
  const menu = await present({ role: 'menu', name: 'Document' });
  expect(menu).toMatchObject({ role: 'menu', states: expect.any(Array) });
  expect(await present({ text: 'SECOND', role: 'text' })).toMatchObject({
    value: 'first line\nsecond',
    states: expect.arrayContaining(['editable']),
  });
  const [x, y, width, height] = menu.box;
  expect(Math.min(x, y, 1280 - x - width, 800 - y - height)).toBeGreaterThanOrEqual(0);

  const hidden = await find({ name: 'Line Numbers' });
  expect(hidden).toBeUndefined();
  await desktop.computer.clickElement(await present({ role: 'menu', name: 'View' }));
  await present({ name: 'Line Numbers' });
  await desktop.computer.key('Escape');
  await eventually(async () => (await find({ name: 'Line Numbers' })) === undefined, MS);

  const { elements, truncated } = await desktop.computer.elements({ limit: 2 });
  expect([elements.length, truncated]).toEqual([2, true]);

  // Requests at once share walks, which never run at the same time.
  const lists = await Promise.all(Array.from({ length: 8 }, () => desktop.computer.elements()));
  for (const list of lists) expect(list.elements.length).toBeGreaterThan(5);
});

const inTheBrowser = itUnless(
  inject('engine') === 'qemu'
    ? 'Chromium takes minutes to start in an emulated machine'
    : undefined,
);
inTheBrowser(
  "the elements of a page are where the browser shows them, and hide others' behind it",
  async () => {
    const page = [
      '<title>form</title><body style="margin:0">',
      '<button style="position:absolute;left:300px;top:200px;width:200px;height:60px"',
      ' onclick="this.textContent=\'pressed\'">Press me</button>',
      '<input aria-label="City" value="Ulm"><input type="password" aria-label="Pass" value="geheim">',
      '<p style="position:absolute;top:9000px">far below</p>',
    ].join('');
    await desktop.computer.files.write('/tmp/page.html', page);
    await desktop.computer.browser({ url: 'file:///tmp/page.html' }, { timeoutMs: MS });
    const button = await present({ role: 'button', name: 'Press me' });
    expect(button.box.slice(2)).toEqual([200, 60]);
    expect(await find({ name: 'City' })).toMatchObject({ role: 'entry', value: 'Ulm' });
    expect(await find({ text: 'geheim' })).toBeUndefined();
    expect(await find({ text: 'far below' })).toBeUndefined();
    const { results } = await desktop.computer.batch([{ action: 'click', element: button.id }]);
    expect(results[0]).toEqual({ success: true });
    await present({ role: 'button', name: 'pressed' });

    // The window of the browser is maximized, over the editor's of the test before.
    expect(await find({ role: 'menu', name: 'Document' })).toBeUndefined();
  },
);

it('an element that is gone cannot be clicked, and wrong input changes nothing', async () => {
  await desktop.run('pkill -x mousepad; setsid galculator >/dev/null 2>&1 &');
  await desktop.until('wmctrl -a galculator');
  const { id } = await present({ role: 'menu', name: 'Edit' });
  await desktop.run('pkill -x galculator; while pgrep -x galculator; do sleep 0.05; done; true');
  const base = `/computers/${desktop.id}`;
  const ask = (path: string, body: object) => desktop.service.http('POST', `${base}/${path}`, body);
  const gone = await ask('click', { element: id });
  expect([gone.status, gone.json.error]).toEqual([404, expect.stringContaining('is gone')]);
  expect(gone.remedy).toContain('vc computer elements');
  for (const body of [{}, { element: id, x: 1, y: 1 }, { x: 1 }, { element: `${id}'; rm x` }]) {
    expect((await ask('click', body)).status, JSON.stringify(body)).toBe(400);
  }
  for (const body of [{}, { text: ' ' }, { text: 'a', limit: 1001 }, { role: 'x'.repeat(201) }]) {
    expect((await ask('find', body)).status, JSON.stringify(body)).toBe(400);
  }
  expect((await desktop.service.http('GET', `${base}/elements?limit=0`)).status).toBe(400);
});

it('a computer without an accessibility bus says so', async () => {
  const service = '~/.local/share/dbus-1/services/org.a11y.Bus.service';
  const reload =
    'dbus-send --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ReloadConfig';
  await desktop.run(
    [
      `mkdir -p $(dirname ${service})`,
      `printf '[D-BUS Service]\\nName=org.a11y.Bus\\nExec=/bin/false\\n' >${service}`,
      `${reload} && pkill -f at-spi-bus-launcher`,
    ].join(' && '),
  );
  try {
    const { status, json, remedy } = await eventually(async () => {
      const answer = await desktop.service.http('GET', `/computers/${desktop.id}/elements`);
      return answer.status !== 200 && answer;
    }, MS);
    expect([status, json.error]).toEqual([400, expect.stringContaining('does not describe')]);
    expect(remedy).toContain('screenshots');
  } finally {
    await desktop.run(`rm -f ${service} && ${reload}`);
  }
});
