import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aliasExpanded, withAliases } from '../../../src/cli/alias/complete.js';
import { tree } from '../../../src/cli/commands/tree.js';
import { complete } from '../../../src/cli/completion/complete.js';
import { loadOutline } from '../../../src/cli/generate/outline.js';
import { computer, openWorld, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const at = '/projects/demo/computers/desktop';
const set = (name: string, line: string) => world.run(['alias', 'set', name, line]);
const sent = () => world.service.received.map(({ method, url }) => `${method} ${url}`);
const answer = () => world.service.on(`GET ${at}`, computer);

describe('an alias', () => {
  it('runs with its arguments appended, and with global options before it', async () => {
    answer();
    await set('look', 'get --jq .status');
    expect((await world.run(['look', 'demo/desktop'])).stdout).toBe('running\n');
    expect((await world.run(['-p', 'demo', 'look', 'desktop'])).stdout).toBe('running\n');
    expect(sent()).toEqual([`GET /api${at}`, `GET /api${at}`]);
  });

  it('replaces $1 and so on by its arguments, each as one word', async () => {
    world.service.on(`POST ${at}/type`, { success: true });
    await set('greet', "type $2/desktop 'Dear $1, a $HOME'");
    await world.run(['greet', `a'b $(x) "`, 'demo', '--settle']);
    expect(world.service.received[0]?.body).toMatchObject({
      ...{ text: `Dear a'b $(x) ", a $HOME`, settle: true },
    });
    expect(await world.run(['greet', 'one'])).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('the alias greet takes 2 arguments\n') },
    });
  });

  it('shows the help of its command, and is listed in the help of vc', async () => {
    await set('look', 'screenshot demo/desktop');
    expect((await world.run(['look', '--help'])).stdout).toMatch(/^Usage: vc screenshot /);
    const { stdout } = await world.run(['--help']);
    expect(stdout).toMatch(/\nAliases:\n {2}look {2}vc screenshot demo\/desktop\n\n/);
  });

  it('can be changed, listed and removed, and is stored with the profiles', async () => {
    await world.run(['profile', 'add', 'a', '--base-url', 'http://127.0.0.1:1/api'], {
      stdin: 'k\n',
    });
    await set('look', 'ls');
    expect((await set('look', 'vc computer ls --all')).stderr).toMatch(/^changed the alias look/);
    await world.run(['profile', 'add', 'b', '--base-url', 'http://127.0.0.1:2/api'], {
      stdin: 'k\n',
    });
    await world.run(['profile', 'use', 'b']);
    await world.run(['profile', 'rm', 'a', '--yes']);
    expect((await world.run(['alias', 'ls', '--json'])).stdout).toBe(
      '{"aliases":[{"name":"look","command":"computer ls --all"}]}\n',
    );
    expect((await world.run(['alias', 'rm', 'look'])).code).toBe(0);
    const file = await readFile(join(world.directory, 'config', 'config.json'), 'utf8');
    expect(Object.keys(JSON.parse(file))).toEqual(['current', 'profiles']);
    expect(await world.run(['look'])).toMatchObject({ code: 2 });
  });

  it.each([
    ['ls', 'get', /there is a command vc ls/],
    ['ssh', 'ls', /there is a command vc ssh/],
    ['__complete', 'ls', /is not a name for an alias/],
    ['-x', 'ls', /unknown option/],
    ['a b', 'ls', /is not a name for an alias/],
    ['a\u001b[2J', 'ls', /is not a name for an alias/],
    ['', 'ls', /must not be empty/],
    ['look', '', /must not be empty/],
    ['look', '  ', /no command is not a command/],
    ['look', 'vc', /vc vc is not a command/],
    ['look', 'look', /vc look is not a command/],
    ['look', 'computer $1', /vc computer \$1 is not a command/],
    ['look', "bash desk 'echo", /a quote in the command is not closed/],
    ['look', `type desk ${'x'.repeat(5000)}`, /more than 4096 characters/],
  ])('named %j for %j is refused', async (name, line, message) => {
    expect(await set(name, line)).toMatchObject({
      ...{ code: 2, stdout: '', stderr: expect.stringMatching(message) },
    });
    expect((await world.run(['alias', 'ls', '-q'])).stdout).toBe('');
  });

  it('cannot call another alias or itself, even if the file was edited', async () => {
    await set('one', 'ls');
    expect((await set('two', 'one')).code).toBe(2);
    const store = join(world.directory, 'config', 'config.json');
    const file = (await readFile(store, 'utf8')).replace('"ls"', '"one"');
    const { writeFile } = await import('node:fs/promises');
    await writeFile(store, file);
    expect(await world.run(['one'])).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining("unknown command 'one'") },
    });
  });
});

it('an alias is completed, with the arguments of its command', async () => {
  const line = await loadOutline(tree);
  const aliases = { look: 'screenshot --cursor', greet: 'type $1 $2' };
  const offered = (words: readonly string[]) =>
    complete(withAliases(line, aliases), aliasExpanded(words, aliases), async () => [
      { value: 'demo/desk' },
    ]);
  expect(await offered(['lo'])).toContain('look\talias of vc screenshot --cursor');
  expect(await offered(['look', ''])).toContain('demo/desk');
  expect(await offered(['look', '--sca'])).toContain(
    '--scale\tscale factor, 0.05 to 1 or 5% to 100%',
  );
  expect(await offered(['greet', ''])).toEqual([':']);
});
