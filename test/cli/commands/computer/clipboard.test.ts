import { afterEach, beforeEach, expect, it } from 'vitest';
import { openWorld, type RunOptions, type World } from '../../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const at = '/projects/demo/computers/desktop/clipboard';
const clipboard = (words: readonly string[], options?: RunOptions) =>
  world.run(['clipboard', 'demo/desktop', ...words], options);

it('prints the text as it is in a pipe, and controls no terminal', async () => {
  world.service.on(`GET ${at}`, { text: 'a\u001b[2J\nb' });
  expect((await clipboard([])).stdout).toBe('a\u001b[2J\nb');
  expect((await clipboard(['get'], { terminal: true })).stdout).toBe('a\ufffd[2J\nb\n');
  expect((await clipboard(['get', '--json'])).stdout).toBe('{"text":"a\\u001b[2J\\nb"}\n');
});

it('sets a text, or what comes on stdin', async () => {
  world.service.on(`PUT ${at}`, { success: true });
  await clipboard(['set', 'Grüße']);
  await clipboard(['set', '-'], { stdin: 'by pipe\n' });
  await clipboard(['set'], { stdin: '' });
  expect((await clipboard(['set', '--', '-v'])).stderr).toBe('set the clipboard of demo/desktop\n');
  const texts = ['Grüße', 'by pipe\n', '', '-v'];
  expect(world.service.received.map(({ body }) => body)).toEqual(texts.map((text) => ({ text })));
});

it.each([
  [['paste'], 'action: must be get or set, not "paste"'],
  [['get', 'text'], 'get takes no text'],
  [['set', 'two', 'words'], 'too many arguments'],
])('refuses %j', async (words, message) => {
  const { code, stderr } = await clipboard(words);
  expect(code).toBe(2);
  expect(stderr.toLowerCase()).toContain(message.toLowerCase());
  expect(world.service.received).toEqual([]);
});

it('refuses input that is not text, and passes on what the service says', async () => {
  world.service.fail(`GET ${at}`, 400, 'unsupported', 'It has no clipboard.', 'Write a file.');
  expect(await clipboard([])).toMatchObject({
    ...{ code: 1, stderr: 'error: It has no clipboard.\n       Write a file.\n' },
  });
});
