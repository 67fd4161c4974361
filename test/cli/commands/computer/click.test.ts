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
  expect(world.service.received.map(({ body }) => body)).toEqual([
    expect.objectContaining({ x: 1, y: 2 }),
    { element: id, button: 'right' },
  ]);
});

it.each([[[]], [['1', '2', '--element', id]]])(
  'refuses %j, which names no place or two',
  async (words) => {
    const { code, stderr } = await click(...words);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('either a position X Y or --element'),
    ]);
    expect(world.service.received).toEqual([]);
  },
);
