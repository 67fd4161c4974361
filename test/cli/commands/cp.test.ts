import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { computer, openWorld, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
  await writeFile(join(world.directory, 'a.txt'), 'a');
});
afterEach(() => world.close());

test.each(['shop/nope:', 'shop/nope:notes', 'shop/nope:/tmp/'])(
  'the error of a copy to %s names the missing computer',
  async (target) => {
    const base = '/projects/shop/computers/nope';
    const message = 'There is no computer "nope".';
    for (const route of [`GET ${base}`, `GET ${base}/files/entry`, `PUT ${base}/files`]) {
      world.service.fail(route, 404, 'not_found', message, 'See: vc ls -p shop');
    }
    const { code, stderr } = await world.run(['computer', 'cp', 'a.txt', target]);
    expect(stderr).toBe(`error: ${message}\n       See: vc ls -p shop\n`);
    expect(code).toBe(5);
  },
);

test('the error of a copy into a missing directory names it', async () => {
  const base = '/projects/demo/computers/desktop';
  world.service.on(`GET ${base}`, computer);
  world.service.fail(`GET ${base}/files/entry`, 404, 'not_found', 'no such path');
  const { code, stderr } = await world.run(['computer', 'cp', 'a.txt', 'demo/desktop:none/']);
  expect(stderr).toContain('error: none/ is not a directory in the computer');
  expect(code).toBe(2);
});
