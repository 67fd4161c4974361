import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openWorld, type World } from '../../support/run.js';

const WAIT = 'POST /projects/demo/computers/desktop/wait';

let world: World;
let started: unknown[];
beforeEach(async () => {
  world = await openWorld();
  started = [];
  world.service.on(WAIT, { success: true, waited: 0.5 });
});
afterEach(() => world.close());

const open = (url: string, ...words: string[]) =>
  world.run(['open', 'demo/desktop', ...words, '--', url]);

const exits = (code: number, stdout = '') =>
  world.service.onProcess((start, socket) => {
    started.push(start);
    if (stdout !== '') socket.send(Buffer.from(`\u0001${stdout}`));
    socket.send(JSON.stringify({ type: 'exit', code, signal: null }));
  });

it.each([
  ['https://example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
  ['example.com', 'https://example.com/'],
  ['example.com:8443/x', 'https://example.com:8443/x'],
  ['localhost:8000', 'http://localhost:8000/'],
  ['file:///home/user/a b.html', 'file:///home/user/a%20b.html'],
  ['https://example.com/";$(reboot)`', 'https://example.com/%22;$(reboot)%60'],
])('opens %j as an argument of its own', async (url, opened) => {
  exits(0, 'chromium\n');
  const { code, stderr } = await open(url);
  expect({ code, line: stderr.split('\n')[0] }).toEqual({
    ...{ code: 0, line: `opened ${opened} in chromium` },
  });
  const file = opened.startsWith('file:') ? '/home/user/a b.html' : '';
  const argv = ['sh', '-c', expect.any(String), 'sh', opened, file, '60'];
  expect(started).toMatchObject([{ argv }]);
  const [{ argv: words }] = started as [{ argv: string[] }];
  expect(words[2]).not.toContain('example');
});

it.each([
  '',
  'x',
  'javascript:alert(1)',
  'data:text/html,x',
  'chrome://settings',
  '-x',
  'http://',
  `https://example.com/${'x'.repeat(9000)}`,
  'ftp://example.com',
])('refuses %j', async (url) => {
  const { code, stderr } = await open(url);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^error: URL: must /);
  expect(world.service.received).toEqual([]);
});

it('says that the computer has no browser', async () => {
  exits(127);
  expect(await open('example.com')).toMatchObject({
    ...{
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/demo\/desktop has no browser\n.*linux/),
    },
  });
  exits(0, 'firefox\n');
  expect((await open('example.com', '--json')).stdout).toBe(
    '{"url":"https://example.com/","browser":"firefox","stable":true}\n',
  );
});

it('says that no window was opened, in place of success', async () => {
  exits(75, 'chromium\n');
  const { code, stdout, stderr } = await open('example.com');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/chromium opened no window in demo\/desktop within 60 s\n.*vc screenshot/);
});

it('waits for a stable screen, unless it is told not to', async () => {
  exits(0, 'chromium\n');
  const waits = () => world.service.received.filter(({ url }) => url.endsWith('/wait'));
  expect((await open('example.com')).code).toBe(0);
  expect(waits()).toMatchObject([{ body: { until: 'stable', timeout: 15 } }]);
  const { stdout } = await open('example.com', '--no-wait', '--json');
  expect(stdout).toBe('{"url":"https://example.com/","browser":"chromium"}\n');
  expect(waits()).toHaveLength(1);
  expect(started).toMatchObject([{}, { argv: { 6: '0' } }]);
  world.service.fail(WAIT, 504, 'guest_timeout', 'The screen did not become stable.');
  const changing = await open('example.com');
  expect(changing).toMatchObject({ code: 0, stderr: expect.stringContaining('still changes') });
});

it('refuses a file of this machine, and one that the computer does not have', async () => {
  await writeFile(join(world.directory, 'page.html'), '<p>');
  const local = await open('page.html');
  expect(local.code).toBe(2);
  expect(local.stderr).toContain('page.html is a file of this machine');
  expect(local.stderr.replaceAll(/\s+/g, ' ')).toContain(
    'vc cp page.html demo/desktop: && vc open demo/desktop file:///home/user/page.html',
  );
  expect(world.service.received).toEqual([]);
  const path = await open('./page.html');
  expect(path.stderr).toContain('./page.html is a file of this machine');
  expect((await open('file:///tmp/%zz')).stderr).toContain('two digits after each %');
  expect(world.service.received).toEqual([]);
  exits(66);
  const missing = await open('file:///home/user/none.html');
  expect(missing.code).toBe(1);
  expect(missing.stderr).toContain('demo/desktop has no file /home/user/none.html');
});

it('keeps only the end of what a guest prints without end', async () => {
  exits(0, `${'x'.repeat(1_000_000)}\nchromium\n`);
  const { stdout } = await open('example.com', '--json');
  expect(stdout.length).toBeLessThan(5_000);
});
