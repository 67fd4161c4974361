import { afterEach, beforeEach, expect, test } from 'vitest';
import { computer, openWorld, type World } from '../../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const asked = () => world.service.received.map(({ url }) => url.replace('/api', ''));
const made = (name: string, project: string) => ({ ...computer, name, project_id: project });

test('all computers need one request, and those of a project are listed together', async () => {
  const pages = [
    { computers: [made('a', 'p'), made('b', 'q'), made('c', 'p')], next_cursor: 'next' },
    { computers: [made('d', 'q')], next_cursor: null },
  ];
  world.service.handle('GET /computers', (_, response) => {
    response.end(JSON.stringify(pages.shift()));
  });
  const { stdout } = await world.run(['ls', '--json=name']);
  expect(JSON.parse(stdout)).toMatchObject({
    computers: ['a', 'c', 'b', 'd'].map((name) => ({ name })),
  });
  expect(asked()).toEqual(['/computers?limit=1000', '/computers?limit=1000&cursor=next']);
});
