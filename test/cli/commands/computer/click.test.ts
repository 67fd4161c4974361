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

it.each([[[]], [['1', '2', '--element', id]], [['--element', id, '--mark', '1']]])(
  'refuses %j, which names no place or two',
  async (words) => {
    const { code, stderr } = await click(...words);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('either a position X Y, --element or --mark'),
    ]);
    expect(world.service.received).toEqual([]);
  },
);

it.each([
  [['--mark', '0'], 'from 1 to 200'],
  [['1', '2', '--frame', 'frm_0123456789ab'], '--frame needs --mark'],
])('refuses %j', async (words, message) => {
  const { code, stderr } = await click(...words);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(world.service.received).toEqual([]);
});
