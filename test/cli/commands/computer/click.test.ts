import { afterEach, beforeEach, expect, it } from 'vitest';
import { openWorld, type World } from '../../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const id = '2c6e3adb-1.8-72';
const click = (...words: string[]) => world.run(['click', 'demo/desktop', ...words]);

it('clicks on a position or on an element', async () => {
  world.service.on('POST /projects/demo/computers/desktop/click', { success: true });
  await click('1,2');
  await click('--element', id, '--right');
  await click('--mark', '7', '--frame', 'frm_0123456789ab');
  expect(world.service.received.map(({ body }) => body)).toEqual([
    expect.objectContaining({ x: 1, y: 2 }),
    { element: id, button: 'right' },
    { mark: 7, frame: 'frm_0123456789ab' },
  ]);
});

it.each([
  [[]],
  [['1', '2', '--element', id]],
  [['--element', id, '--mark', '1']],
  [['--text', 'OK', '--element', id]],
])('refuses %j, which names no place or two', async (words) => {
  const { code, stderr } = await click(...words);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('either a position X Y, --element, --text or --mark'),
  ]);
  expect(world.service.received).toEqual([]);
});

it.each([
  [['--mark', '0'], 'from 1 to 200'],
  [['1', '2', '--frame', 'frm_0123456789ab'], '--frame needs --mark'],
])('refuses %j', async (words, message) => {
  const { code, stderr } = await click(...words);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(world.service.received).toEqual([]);
});

const text = (name: string, x: number, y: number, width = 10) => ({
  ...{ id: `text-${x}-${y}-${width}-10`, source: 'text', role: 'text', name },
  ...{ states: [], actions: [], box: [x, y, width, 10] },
});
const found = (elements: readonly unknown[]) =>
  world.service.on('POST /projects/demo/computers/desktop/find', { elements, truncated: false });

it('clicks on the only place of a text, also on one in another', async () => {
  world.service.on('POST /projects/demo/computers/desktop/click', { success: true });
  found([text('Sign in to go on', 0, 50), text('Sign In', 90, 90, 40), text('sign in', 95, 90)]);
  expect((await click('--text', 'sign in', '--double')).code).toBe(0);
  expect(world.service.received.map(({ body }) => body)).toEqual([
    { text: 'sign in' },
    expect.objectContaining({ element: 'text-95-90-10-10', double: true }),
  ]);
});

it('moves the mouse to the middle of a text', async () => {
  world.service.on('POST /projects/demo/computers/desktop/move', { success: true });
  found([text('Help', 90, 40, 40)]);
  await world.run(['move', 'demo/desktop', '--text', 'help', '--scale', '0.5']);
  expect(world.service.received.at(-1)?.body).toEqual({ x: 110, y: 45 });
  found([text('OK', 0, 0), text('OK', 100, 0)]);
  const { stderr } = await world.run(['move', 'demo/desktop', '--text', 'OK']);
  expect(stderr).toContain('vc move demo/desktop 5,5');
});

it('clicks on no text that is missing or stands at several places', async () => {
  found([]);
  const missing = await click('--text', 'Sign in');
  expect([missing.code, missing.stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining('the text "Sign in" is not on the screen'),
  ]);
  found([text('OK', 0, 0), text('OK', 100, 0)]);
  const several = await click('--text', 'OK');
  expect(several.stderr).toContain('"OK" is at 2 places: 5,5 105,5');
  expect(several.stderr).toContain('vc click demo/desktop 5,5');
});
