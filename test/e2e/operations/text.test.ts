import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { itUnless } from '../../support/run/needs.js';
import { type Desktop, openDesktop } from '../../support/service/desktop.js';

let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());

/** An emulated machine may take minutes to start a program. */
const LONG = 300;
const SHORT = inject('engine') === 'qemu' ? 40 : 3;

test('a text is found in a terminal, waited for and clicked', async () => {
  const { computer } = desktop;
  const waiting = computer.wait({ until: { text: 'order  NUMBER 4711' }, timeout: LONG });
  await desktop.run(
    "echo Order number 4711 >/tmp/order; setsid -f xterm -fa 'DejaVu Sans Mono' -fs 12 -T Shell -e 'cat /tmp/order; sleep 600' >/dev/null 2>&1",
  );
  const { met } = await waiting;
  expect(met).toMatchObject([{ element: { source: 'text', name: 'Order number 4711' } }]);

  const { elements } = await computer.find({ text: 'order number', source: 'text' });
  expect(elements).toMatchObject([{ source: 'text', role: 'text', name: 'Order number' }]);
  const [x = 0, y = 0, width = 0, height = 0] = elements[0]?.box ?? [];
  const middle = [x + Math.floor(width / 2), y + Math.floor(height / 2)];
  const pointer = async () => {
    const at = await computer.cursor();
    return [at.x, at.y];
  };
  const move = ['move', desktop.name, '--text', 'Order number'];
  expect(await desktop.service.cli(move)).toMatchObject({ code: 0 });
  expect(await pointer()).toEqual(middle);
  await computer.move(9, 9);
  const clicked = await desktop.service.cli([
    ...['click', desktop.name, '--text', 'Order number', '--double'],
  ]);
  expect(clicked).toMatchObject({ code: 0 });
  expect(await pointer()).toEqual(middle);

  const absent = await desktop.service.cli(['click', desktop.name, '--text', 'No such words']);
  expect(absent.stderr).toMatch(/^error: the text "No such words" is not on the screen/);
  await desktop.run('pkill -x sleep; true');
  await computer.wait({ until: { text: 'order number 4711', gone: true }, timeout: LONG });
});

test('a wait for a text ends in time and when it is aborted', async () => {
  await expect(
    desktop.computer.wait({ until: { text: '(a+)+$ never' }, timeout: SHORT }),
  ).rejects.toMatchObject({
    code: 'guest_timeout',
    message: expect.stringMatching(/^Not met within \d+ s: text \(last seen: .*\)\.$/),
  });
  const controller = new AbortController();
  const { signal } = controller;
  const until = { any: [{ text: 'never' }, { window: 'never' }] };
  const aborted = desktop.computer.wait({ until, timeout: 60, signal });
  setTimeout(() => controller.abort(), 1000);
  await expect(aborted).rejects.toThrow();
});

test('a click on a text opens a menu of GTK', async () => {
  await desktop.run('setsid -f mousepad >/dev/null 2>&1');
  await desktop.computer.wait({ until: { text: 'Document' }, timeout: LONG });
  const [menu] = (await desktop.computer.find({ text: 'Document', source: 'text' })).elements;
  if (menu === undefined) throw new Error('no menu');
  await desktop.computer.clickElement(menu);
  await desktop.computer.wait({ until: { text: 'Tab Size' }, timeout: LONG });
  await desktop.run('pkill -x mousepad');
});

itUnless(
  inject('engine') === 'qemu'
    ? 'Chromium takes minutes to start in an emulated machine'
    : undefined,
)('a click on a text reaches what a page draws and does not describe', async () => {
  const page = `<title>game</title><canvas width=600 height=300></canvas><script>
    const canvas = document.querySelector('canvas');
    const draw = (text) => {
      const context = canvas.getContext('2d');
      context.clearRect(0, 0, 600, 300);
      context.font = '20px sans-serif';
      context.fillText(text, 200, 150);
    };
    draw('Start the game');
    canvas.onclick = ({offsetX: x, offsetY: y}) => x > 200 && x < 340 && y > 130 && y < 155 && draw('Level one');
  </script>`;
  await desktop.computer.files.write('/tmp/game.html', page);
  await desktop.computer.browser({ url: 'file:///tmp/game.html' });
  await desktop.computer.wait({ until: { text: 'Start the game' }, timeout: LONG });
  const click = () => desktop.service.cli(['click', desktop.name, '--text', 'Start the game']);
  await eventually(async () => (await click()).code === 0, 60_000);
  await desktop.computer.wait({ until: { text: 'Level one' }, timeout: 60 });
});
