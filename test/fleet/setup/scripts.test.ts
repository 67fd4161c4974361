import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NewFiles } from '../../../src/contract/resources/setup.js';
import { checkTimezone, writeFiles } from '../../../src/fleet/setup/scripts.js';
import { type Guest, openGuest } from '../../shell/support/guest.js';

let guest: Guest;
beforeEach(async () => {
  guest = await openGuest();
});
afterEach(() => guest.close());

const run = (command: string) => guest.shell.run({ command, timeoutMs: 20_000, background: false });
const write = (files: object[]) => run(writeFiles(NewFiles.parse(files)));

describe('the files of a computer', () => {
  it('have the content and mode that were given, at any path', async () => {
    const hostile = "a'b $(id) \\ ü";
    const content = `it's "$HOME"\n`;
    const { stdout, exitCode } = await write([
      { path: `~/dir/${hostile}`, content, mode: '0600' },
      { path: '-rf', content_base64: 'AAEC' },
      { path: 'empty', content: '', mode: '755' },
    ]);
    expect([stdout, exitCode]).toEqual(['', 0]);
    const found = await run(`cd; stat -c '%a %s %n' -- dir/* -rf empty; cat dir/*`);
    expect(found.stdout).toBe(`600 13 dir/${hostile}\n644 3 -rf\n755 0 empty\n${content}`);
  });

  it('may take 1 MiB', async () => {
    expect((await write([{ path: 'x', content: 'a'.repeat(2 ** 20) }])).exitCode).toBe(0);
    expect((await run('wc -c <~/x')).stdout.trim()).toBe('1048576');
  });

  it.each([
    ['a directory', 'dir', /^dir: /],
    ['a path through a file', 'file/x', /^file\/x: /],
    ['a name that is too long', 'a'.repeat(300), /File name too long$/],
  ])('with %s fail, and say which', async (_, path, message) => {
    await run('cd; mkdir dir; touch file');
    const { stdout, exitCode } = await write([{ path, content: 'x' }]);
    expect(exitCode).toBe(1);
    expect(stdout.trim()).toMatch(message);
  });
});

it('a time zone that the image has not is an error', async () => {
  expect(await run(checkTimezone('Europe/Atlantis'))).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('no time zone Europe/Atlantis'),
  });
});
