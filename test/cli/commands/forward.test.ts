import { afterEach, beforeEach, expect, test } from 'vitest';
import { Interrupts } from '../../../src/cli/framework/interrupts.js';
import { computer, openWorld, type RunOptions, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

/** Runs `vc forward` until it is ready. */
async function forward(argv: readonly string[], options: RunOptions = {}): Promise<string> {
  const interrupts = new Interrupts();
  world.service.on('GET /projects/demo/computers/desktop', computer);
  const command = ['computer', 'forward', 'demo/desktop', ...argv];
  const { code, stdout } = await world.run(command, {
    ...options,
    interrupts,
    onStdout: () => interrupts.trigger('SIGINT'),
  });
  expect(code).toBe(0);
  return stdout;
}

test('prints a clickable URL on a terminal, and an address in a pipe', async () => {
  const to = / -> demo\/desktop port 80\n$/.source;
  expect(await forward(['0:80'], { terminal: true })).toMatch(
    new RegExp(`^http://127\\.0\\.0\\.1:\\d+${to}`),
  );
  expect(await forward(['0:80'])).toMatch(new RegExp(`^127\\.0\\.0\\.1:\\d+${to}`));
});

test('the URL of a port on all addresses has the address of this host', async () => {
  const argv = ['0:80', '--bind', '0.0.0.0'];
  expect(await forward(argv, { terminal: true })).toMatch(/^http:\/\/127\.0\.0\.1:/);
  expect(await forward(argv)).toMatch(/^0\.0\.0\.0:/);
});
