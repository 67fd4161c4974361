import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { openWorld, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
  world.service.on('POST /projects/demo/computers/desktop/view', {
    url: 'http://inside.example.com/api/view/cmp_1#vt_2',
    expires_at: '2025-01-02T03:05:05.000Z',
  });
});
afterEach(() => world.close());

const view = ['computer', 'view', 'demo/desktop'];
/** With the address that the client uses, not the one that the service reports. */
const link = () => `${world.service.baseUrl}/view/cmp_1#vt_2`;

/** A program that replaces the real one and records its arguments. */
async function opener(exitCode: number): Promise<Record<string, string>> {
  const file = join(world.directory, 'xdg-open');
  const script = `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${world.directory}/opened'\nexit ${exitCode}\n`;
  await writeFile(file, script);
  await chmod(file, 0o755);
  return { PATH: `${world.directory}:${process.env.PATH}`, DISPLAY: ':9' };
}
const opened = () => readFile(join(world.directory, 'opened'), 'utf8');

test.skipIf(process.platform !== 'linux')(
  'opens the browser with the link as one argument',
  async () => {
    const env = await opener(0);
    const { code, stdout } = await world.run(view, { terminal: true, env });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(await eventually(opened)).toBe(`1\n${link()}\n`);
    expect(world.service.received[0]?.body).toEqual({ mode: 'control' });
  },
);

test.skipIf(process.platform !== 'linux')('prints the link when no browser opens', async () => {
  const env = await opener(3);
  const { code, stdout } = await world.run(view, { terminal: true, env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${link()}\n` });
});

test.each([
  ['in a pipe', view, { terminal: false, env: { DISPLAY: ':9' } }],
  ['with --print', [...view, '--print'], { terminal: true, env: { DISPLAY: ':9' } }],
  ['without a display', view, { terminal: true, env: {} }],
])('prints the link %s', async (_, argv, options) => {
  const { code, stdout } = await world.run(argv, {
    ...options,
    env: { PATH: '/nowhere', ...options.env },
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${link()}\n` });
});

test('--view-only requests a link without input, --json prints the answer', async () => {
  const { stdout } = await world.run([...view, '--view-only', '--json']);
  expect(JSON.parse(stdout)).toEqual({ url: link(), expires_at: '2025-01-02T03:05:05.000Z' });
  expect(world.service.received[0]?.body).toEqual({ mode: 'view' });
});
