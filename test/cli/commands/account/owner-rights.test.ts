import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorld, type World } from '../../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const NOTHING = 'There is nothing at this path; /api/openapi.json lists what is.';

const key = { rights: 'manage', project: null };

test.each(['owner ls', 'owner get alice', 'owner rm alice --yes', 'cluster ls'])(
  'vc %s of an owner who is no administrator says whose key it needs',
  async (line) => {
    world.service.handleOthers((_, response) => {
      response.writeHead(404, { 'content-type': 'application/json', 'x-error-code': 'not_found' });
      response.end(JSON.stringify({ error: NOTHING }));
    });
    world.service.on('GET /me', { role: 'member', key });
    const { code, stderr } = await world.run(line.split(' '));
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr:
        'error: this needs the key of an administrator, with all rights\n       see whose key you use: vc whoami\n',
    });
  },
);

test('an owner that does not exist is still missing for an administrator', async () => {
  world.service.on('GET /me', { role: 'administrator', key });
  world.service.fail('GET /owners/alice', 404, 'not_found', 'There is no owner "alice".');
  const { code, stderr } = await world.run(['owner', 'get', 'alice']);
  expect(code).toBe(5);
  expect(stderr).toContain('There is no owner "alice".');
});
