import { afterEach, beforeEach, expect, it } from 'vitest';
import { openWorld, type World } from '../../support/run.js';

let world: World;
let started: unknown[];
beforeEach(async () => {
  world = await openWorld();
  started = [];
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
  expect(started).toMatchObject([{ argv: ['sh', '-c', expect.any(String), 'sh', opened] }]);
  const [{ argv }] = started as [{ argv: string[] }];
  expect(argv[2]).not.toContain('example');
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
    '{"url":"https://example.com/","browser":"firefox"}\n',
  );
});

it('keeps only the end of what a guest prints without end', async () => {
  exits(0, `${'x'.repeat(1_000_000)}\nchromium\n`);
  const { stdout } = await open('example.com', '--json');
  expect(stdout.length).toBeLessThan(5_000);
});
