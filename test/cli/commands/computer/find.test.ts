import { afterEach, beforeEach, expect, it } from 'vitest';
import { openWorld, type World } from '../../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

it('does not say that something is not there if the screen was not read in time', async () => {
  const answer = { elements: [], truncated: true };
  world.service.on('POST /projects/demo/computers/desktop/find', answer);
  const { code, stderr } = await world.run(['find', 'demo/desktop', 'hello world']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'nothing was found in time; try again\n' });
});
