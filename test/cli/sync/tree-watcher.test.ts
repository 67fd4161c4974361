import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TreeWatcher } from '../../../src/cli/sync/tree-watcher.js';
import { eventually } from '../../support/eventually.js';

let directory: string;
let watcher: TreeWatcher;
let changes: number;
let errors: NodeJS.ErrnoException[];
/** Paths of the events. */
const seen = new Set<string>();

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-tree-'));
  mkdirSync(at('sub/deep'), { recursive: true });
  writeFileSync(at('file'), '');
  changes = 0;
  errors = [];
});
afterEach(() => {
  watcher.close();
  rmSync(directory, { recursive: true });
});

const at = (path: string) => join(directory, 'src', path);
const events = {
  onChange: () => {
    changes += 1;
  },
  onError: (error: NodeJS.ErrnoException) => void errors.push(error),
};
const recorded = ((path: string, listener: (type: string, name: string | null) => void) =>
  watch(path, (type, name) => {
    seen.add(join(path, name ?? ''));
    listener(type, name);
  })) as typeof watch;
const open = (opener: typeof watch = recorded) => {
  watcher = new TreeWatcher(join(directory, 'src'), events, opener);
};

/** Resolves when a change of the path is noticed. */
async function noticed(path: string, work: () => void): Promise<void> {
  seen.clear();
  const before = changes;
  work();
  await eventually(async () => seen.has(path) && changes > before);
}

test('a file that is replaced again and again, and then written, is noticed each time', async () => {
  open();
  const replace = () => {
    writeFileSync(at('new'), 'text');
    renameSync(at('new'), at('file'));
  };
  await noticed(at('file'), replace);
  await noticed(at('file'), replace);
  await noticed(at('file'), replace);
  await noticed(at('file'), () => writeFileSync(at('file'), 'more'));
  expect(errors).toEqual([]);
});

test('directories that are created, moved and replaced are watched where they are', async () => {
  open();
  await noticed(at('sub/deep/one'), () => writeFileSync(at('sub/deep/one'), ''));
  await noticed(at('new'), () => mkdirSync(at('new/er'), { recursive: true }));
  await noticed(at('new/er/two'), () => writeFileSync(at('new/er/two'), ''));
  await noticed(at('moved'), () => renameSync(at('sub'), at('moved')));
  await noticed(at('moved/deep/three'), () => writeFileSync(at('moved/deep/three'), ''));
  await noticed(at('new'), () => {
    rmSync(at('new'), { recursive: true });
    renameSync(at('moved'), at('new'));
  });
  await noticed(at('new/deep/four'), () => writeFileSync(at('new/deep/four'), ''));
  expect(errors).toEqual([]);
});

test('links to directories are not followed', async () => {
  symlinkSync(directory, at('link'));
  open();
  await noticed(at('later'), () => symlinkSync(directory, at('later')));
  writeFileSync(join(directory, 'outside'), '');
  await noticed(at('last'), () => writeFileSync(at('last'), ''));
  expect([...seen]).not.toContainEqual(expect.stringContaining('outside'));
});

test('the end of the directory is an error', async () => {
  open();
  renameSync(join(directory, 'src'), join(directory, 'other'));
  await eventually(async () => errors.length > 0);
  expect(errors).toMatchObject([{ code: 'ENOENT' }]);
});

test.each([
  ['ENOSPC', 'sub/deep', ['ENOSPC']],
  ['EACCES', 'sub/deep', []],
  ['EACCES', '', ['EACCES']],
])('%s of the directory %j is reported as %j', (code, path, reported) => {
  open(((each: string, ...rest: [() => void]) => {
    if (join(each, '/') === join(at(path), '/')) throw Object.assign(new Error(code), { code });
    return watch(each, ...rest);
  }) as typeof watch);
  expect(errors.map((error) => error.code)).toEqual(reported);
});
