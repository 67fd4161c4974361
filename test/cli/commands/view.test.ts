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

/** A program that replaces the real one, records its arguments, and fails or visits the address. */
async function opener(kind: 'browser' | 'fails'): Promise<Record<string, string>> {
  const file = join(world.directory, 'xdg-open');
  const script = `#!${process.execPath}
const { writeFileSync } = require('node:fs');
const argv = process.argv.slice(2);
const save = (location) => writeFileSync('${world.directory}/opened', JSON.stringify({ argv, location }));
if (${kind === 'fails'}) process.exit(3);
fetch(argv[0], { redirect: 'manual' }).then(({ headers }) => save(headers.get('location')));
`;
  await writeFile(file, script);
  await chmod(file, 0o755);
  return { PATH: `${world.directory}:${process.env.PATH}`, DISPLAY: ':9' };
}
const opened = async () => JSON.parse(await readFile(join(world.directory, 'opened'), 'utf8'));

test.skipIf(process.platform !== 'linux')(
  'opens the link in the browser, and no program has it as an argument',
  async () => {
    const env = await opener('browser');
    const { code, stdout } = await world.run(view, { terminal: true, env });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    const { argv, location } = await eventually(() => opened().catch(() => undefined));
    expect(location).toBe(link());
    expect(argv).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{40}$/)]);
    expect(world.service.received[0]?.body).toEqual({ mode: 'control' });
  },
);

test.skipIf(process.platform !== 'linux')('prints the link when no browser opens', async () => {
  const env = await opener('fails');
  const { code, stdout } = await world.run(view, { terminal: true, env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${link()}\n` });
});

test
  .skipIf(process.platform !== 'linux')
  .each(['https://elsewhere.example.com/', 'file:///etc/passwd', '-version'])(
  'prints %s of a service, and does not open it',
  async (url) => {
    const answer = { url, expires_at: '2025-01-02T03:05:05.000Z' };
    world.service.on('POST /projects/demo/computers/desktop/view', answer);
    const { code, stdout, stderr } = await world.run(view, {
      terminal: true,
      env: await opener('browser'),
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${url}\n` });
    expect(stderr).toContain('not opened');
    await expect(opened()).rejects.toThrow('ENOENT');
  },
);

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

test('a key that may only look is told of --view-only', async () => {
  const forbidden = [403, 'forbidden', 'The key may only look.', 'Use another key.'] as const;
  world.service.fail('POST /projects/demo/computers/desktop/view', ...forbidden);
  const refused = await world.run(view);
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain('error: The key may only look.');
  expect(refused.stderr).toMatch(/to only watch: vc view demo\/desktop --view-only\n$/);
  expect((await world.run([...view, '--view-only'])).stderr).toContain('Use another key.');
});
