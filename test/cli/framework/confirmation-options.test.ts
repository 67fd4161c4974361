import { beforeAll, expect, test } from 'vitest';
import { tree } from '../../../src/cli/commands/tree.js';
import { loadOutline, type OutlineCommand, paths } from '../../../src/cli/generate/outline.js';

/** The rule is in CONTRIBUTING.md. */
let commands: { path: string; options: OutlineCommand['options'] }[];
beforeAll(async () => {
  commands = paths(await loadOutline(tree)).map(({ command, path }) => ({
    path: path.map(([name]) => name).join(' '),
    options: command.options,
  }));
});

const withFlag = (flag: string) =>
  commands.flatMap(({ path, options }) =>
    options
      .filter(({ flags }) => flags.split(/[ ,]+/).includes(flag))
      .map(({ flags, summary }) => ({ path, flags, summary })),
  );

test('--yes skips a confirmation, and nothing else', () => {
  const found = withFlag('--yes');
  expect(found.length).toBeGreaterThan(5);
  for (const { path, flags, summary } of found) {
    expect([path, flags, summary]).toEqual([path, '-y, --yes', 'do not ask for confirmation']);
  }
});

test('--force does what is refused without it, and skips no question', () => {
  const found = withFlag('--force');
  expect(found.length).toBeGreaterThan(1);
  for (const { summary } of found) expect(summary).not.toMatch(/\bask\b/);
});

test('--replace is only for the whole state of a service', () => {
  expect(withFlag('--replace').map(({ path }) => path)).toEqual(['restore']);
});
