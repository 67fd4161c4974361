import { afterEach, beforeEach, expect, test } from 'vitest';
import { computer, openWorld, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

test.each(['ls -aq', 'ls -qa', 'computer ls -aq', 'ls -aqp demo'])(
  'vc %s takes the global option -q beside a short option of its own',
  async (line) => {
    world.service.on('GET /computers', { computers: [computer] });
    const { code, stdout, stderr } = await world.run(line.split(' '));
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${computer.id}\n`, stderr: '' });
  },
);
