import { afterEach, beforeEach, expect, test } from 'vitest';
import { computer, openWorld, type World } from '../../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

test.each([
  ['start', 'stopped', 'running', 'started demo/desk\n'],
  ['start', 'running', 'running', 'demo/desk is running already\n'],
  ['stop', 'running', 'stopped', 'stopped demo/desk\n'],
  ['stop', 'stopped', 'stopped', 'demo/desk is stopped already\n'],
])('vc %s of a computer that is %s says what it did', async (verb, before, after, said) => {
  const at = '/projects/demo/computers/desk';
  world.service.on(`GET ${at}`, { ...computer, status: before });
  world.service.on(`POST ${at}/${verb}`, { ...computer, status: after });
  const { code, stderr } = await world.run([verb, 'demo/desk']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: said });
  const asked = world.service.received.filter(({ method }) => method === 'POST');
  expect(asked).toHaveLength(1);
});
