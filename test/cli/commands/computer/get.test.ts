import { afterEach, beforeEach, expect, it } from 'vitest';
import { computer, openWorld, type World } from '../../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
  for (const name of ['desk', 'agent']) {
    const body = { ...computer, id: `cmp_${name}`, name };
    world.service.on(`GET /projects/demo/computers/${name}`, body);
  }
});
afterEach(() => world.close());

it('shows several computers under their names', async () => {
  const { code, stdout } = await world.run(['get', '-p', 'demo', 'desk', 'agent']);
  expect(code).toBe(0);
  expect(stdout.match(/^(==>|name\t).*$/gm)).toEqual([
    ...['==> desk <==', 'name\tdemo/desk', '==> agent <==', 'name\tdemo/agent'],
  ]);
  const quiet = await world.run(['get', '-p', 'demo', '-q', 'desk', 'agent']);
  expect(quiet.stdout).toBe('cmp_desk\ncmp_agent\n');
});

it('prints one as an object, and several as a list with errors', async () => {
  const one = await world.run(['get', 'demo/desk', '--json']);
  expect(JSON.parse(one.stdout)).toMatchObject({ name: 'desk' });
  const { code, stdout } = await world.run(['get', '-p', 'demo', '--json', 'desk', 'none']);
  expect(code).toBe(5);
  expect(JSON.parse(stdout)).toMatchObject([
    { name: 'desk', answer: { name: 'desk' } },
    { name: 'none', error: { code: 'not_found' } },
  ]);
});

it('has colours in a pipe only if they are asked for', async () => {
  const run = (env: Record<string, string>) => world.run(['get', 'demo/desk'], { env });
  expect((await run({})).stdout).not.toContain('\u001B');
  expect((await run({ FORCE_COLOR: '1' })).stdout).toContain('\u001B[1mname\u001B');
  world.service.on('GET /computers', { computers: [computer] });
  const list = (env: Record<string, string>) => world.run(['ls'], { env });
  expect((await list({})).stdout).not.toContain('\u001B');
  expect((await list({ FORCE_COLOR: '1' })).stdout.startsWith('\u001B[1m')).toBe(true);
});
