import { expect, it } from 'vitest';
import { asVc } from '../../src/dashboard/app/api/commands.js';
import { computersWith, usersOf } from '../../src/dashboard/app/pages/images/users.js';
import {
  copyNames,
  forkIntent,
  imageIntent,
} from '../../src/dashboard/app/pages/snapshots/copies.js';
import { rowsOf } from '../../src/dashboard/app/pages/snapshots/tree.js';

/** Snapshots of names and parents, the oldest first, as lines with their indentation. */
function lines(...snapshots: readonly (readonly [name: string, parent: string | null])[]) {
  const list = snapshots.map(([name, parent]) => ({
    ...{ name, parent, created_at: '', bytes: 0, memory: false, current: false },
  }));
  return rowsOf(list).map(
    ({ snapshot, depth, isBranch }) =>
      `${'  '.repeat(depth)}${isBranch ? '+' : ''}${snapshot.name}`,
  );
}

it('a line of descent is not indented, however long it is', () => {
  expect(lines(['a', null], ['b', 'a'], ['c', 'b'])).toEqual(['a', 'b', 'c']);
  const long = Array.from({ length: 2_000 }, (_, index): [string, string | null] => [
    `s${index}`,
    index === 0 ? null : `s${index - 1}`,
  ]);
  expect(lines(...long).at(-1)).toBe('s1999');
});

it('branches are below their parent, the oldest first, each with its own line', () => {
  expect(
    lines(['a', null], ['b', 'a'], ['b1', 'b'], ['c', 'a'], ['c1', 'c'], ['c2', 'c'], ['b2', 'b1']),
  ).toEqual(['a', '  +b', '  b1', '  b2', '  +c', '    +c1', '    +c2']);
});

it('several without a parent, and those of an unknown one, are branches', () => {
  expect(lines(['a', null], ['b', null], ['c', 'gone'])).toEqual(['  +a', '  +b', '  +c']);
  expect(lines()).toEqual([]);
});

const computer = { id: 'cmp_1', name: 'my desk', project_name: 'shop' };

it('several copies are numbered, and are one request', () => {
  expect(copyNames('attempt', 1)).toEqual(['attempt']);
  expect(copyNames('attempt', 3)).toEqual(['attempt-1', 'attempt-2', 'attempt-3']);
  const one = forkIntent(computer, ['attempt']);
  expect(one).toMatchObject({ path: '/computers/cmp_1/fork?wait=0', body: { name: 'attempt' } });
  expect(asVc(one)).toBe("vc fork 'shop/my desk' attempt");
  const several = forkIntent(computer, ['a-1', 'a-2'], 'clean');
  expect(several.body).toEqual({ names: ['a-1', 'a-2'], snapshot: 'clean' });
  expect(asVc(several)).toBe("vc fork 'shop/my desk@clean' a-1 a-2");
});

it('an image is saved of the computer, or of a snapshot', () => {
  expect(imageIntent(computer, 'ready').body).toEqual({ name: 'ready', computer: 'cmp_1' });
  const ofSnapshot = imageIntent(computer, 'ready', 'clean');
  expect(ofSnapshot.body).toMatchObject({ snapshot: 'clean' });
  expect(asVc(ofSnapshot)).toBe("vc image save 'shop/my desk@clean' ready");
});

it('says how many computers need an image', () => {
  expect([null, 0, 1, 2].map((used_by) => usersOf({ used_by }))).toEqual([
    ...['', '0 computers', '1 computer', '2 computers'],
  ]);
});

it('finds the computers with an image, of its engine only', () => {
  const made = (name: string, image: string, engine = 'docker') => ({
    ...{ name, image, engine, project_name: 'shop' },
  });
  const all = [made('b', 'box'), made('c', 'linux'), made('d', 'box', 'qemu'), made('a', 'box')];
  const found = computersWith({ name: 'box', engine: 'docker' }, all);
  expect(found.map(({ name }) => name)).toEqual(['a', 'b']);
});
