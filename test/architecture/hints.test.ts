import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tree } from '../../src/cli/commands/tree.js';
import { isGroup } from '../../src/cli/framework/nodes.js';
import { packageRoot } from '../../src/lib/package-root.js';

/** Commands that also work without their noun. */
const long = tree.flatMap((node) =>
  isGroup(node) || node.shortFor === undefined ? [] : [`vc ${node.shortFor.join(' ')}`],
);

/** These explain what a short form is. */
const ABOUT = ['short-forms.ts', 'nodes.ts', 'synonyms.ts'];

const root = packageRoot.pathname;
const files = [
  ...readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((name) =>
    join(root, 'src', name),
  ),
  join(root, 'scripts/quickstart.sh'),
].filter((name) => /\.(ts|js|sh)$/.test(name) && !ABOUT.some((about) => name.endsWith(about)));

test('messages, remedies and the quickstart suggest the short forms', () => {
  const found = files.flatMap((name) => {
    const text = readFileSync(name, 'utf8');
    return long
      .filter((form) => new RegExp(`${form}(?![\\w-])`).test(text))
      .map((form) => `${name.slice(root.length)}: ${form}`);
  });
  expect(long).toContain('vc computer click');
  expect(found).toEqual([]);
});
