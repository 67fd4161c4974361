import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Grant,
  grantOf,
  readGrants,
  undoGrant,
  writeGrants,
} from '../../../src/cli/setup/record.js';
import { planRemoval } from '../../../src/cli/setup/remove.js';
import type { EngineDescriptor } from '../../../src/engines/descriptor.js';
import type { Engine, Probe } from '../../../src/engines/engine.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-remove-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const alice = { engine: 'one', user: 'alice', group: 'docker' } as const;
const ids = { engine: 'one', user: 'alice', ids: '100000-165535' };

interface Fake {
  readonly probe?: Probe;
  readonly usedBy?: string;
  /** A program that shows that it is installed. */
  readonly sign?: string;
}

const usable: Probe = { usable: true, version: '1', detail: '' };
const silent: Probe = { usable: false, reason: 'it is silent', remedy: '' };

function fake(name: string, { probe = usable, usedBy, sign = '/' }: Fake = {}) {
  const removed: string[] = [];
  const image = { name: 'linux', os: 'linux' as const, bytes: 1, createdAt: new Date(0) };
  const engine = {
    name,
    probe: async () => probe,
    // One from a recipe, and an imported disk.
    images: async () => [
      { ...image, recipeHash: 'a' },
      { ...image, name: 'lab' },
    ],
    recipeHash: async () => 'a',
  };
  const descriptor = {
    ...{ name, title: name.toUpperCase(), open: async () => engine as unknown as Engine },
    images: { remove: async (_: string, image: string) => void removed.push(image) },
    setup: async () => ({
      packages: [{ sign, name, purpose: '' }],
      grants: async () => [],
      removal: {
        usedBy: async () => usedBy,
        steps: async () => [{ title: 'step', argv: ['true', name] as const }],
        leftovers: async () => [{ title: `the rules of ${name}`, remove: async () => {} }],
      },
    }),
  } as unknown as EngineDescriptor;
  return { descriptor, removed };
}

const signal = new AbortController().signal;
const planWith = (
  options: { isPartial?: boolean; holds?: (grant: Grant) => Promise<boolean> },
  ...fakes: { descriptor: EngineDescriptor }[]
) =>
  planRemoval(
    fakes.map(({ descriptor }) => descriptor),
    directory,
    { env: {}, signal, isPartial: false, holds: async () => true, ...options },
  );
const plan = (...fakes: { descriptor: EngineDescriptor }[]) => planWith({}, ...fakes);

test('rules, images and steps are removed, and imported disks stay', async () => {
  const one = fake('one');
  const { leftovers, steps, kept } = await plan(one);
  expect(leftovers.map(({ title }) => title)).toEqual([
    'the rules of one',
    'the image linux of ONE',
  ]);
  expect(steps.map(({ argv }) => argv)).toEqual([['true', 'one']]);
  expect(kept).toEqual([]);
  for (const { remove } of leftovers) await remove(new AbortController().signal);
  expect(one.removed).toEqual(['linux']);
});

test('nothing is removed of an engine that has computers, or that cannot be asked', async () => {
  await writeGrants(directory, [alice, { ...alice, engine: 'two', group: 'kvm' }]);
  const { leftovers, steps, kept, keptGrants } = await plan(
    fake('one', { usedBy: '2 computers' }),
    fake('three', { probe: silent }),
  );
  expect({ leftovers, steps }).toEqual({ leftovers: [], steps: [] });
  expect(kept).toEqual(['ONE: 2 computers', 'THREE: it is silent']);
  // Also those of an engine that was not named.
  expect(keptGrants).toHaveLength(2);
});

test('the steps of an engine that is not installed any more are undone', async () => {
  const { leftovers, steps, kept } = await plan(fake('one', { probe: silent, sign: '/none' }));
  expect({ leftovers, kept }).toEqual({ leftovers: [], kept: [] });
  expect(steps).toHaveLength(1);
});

test('what a user was given is recorded and taken back', async () => {
  const argv = ['true'] as const;
  expect(grantOf({ title: '', argv, group: 'docker' }, 'one', 'alice')).toEqual(alice);
  expect(grantOf({ title: '', argv, ids: ids.ids }, 'one', 'alice')).toEqual(ids);
  expect(grantOf({ title: '', argv }, 'one', 'alice')).toBeUndefined();
  await writeGrants(directory, [alice, ids]);
  const { grants, keptGrants } = await plan(fake('one'));
  expect(keptGrants).toEqual([]);
  expect(grants.map((grant) => undoGrant(grant).argv)).toEqual([
    ['gpasswd', '--delete', 'alice', 'docker'],
    ['usermod', '--del-subuids', ids.ids, '--del-subgids', ids.ids, 'alice'],
  ]);
  expect(undoGrant(alice).title).toBe('Removing alice from the group docker');
  await writeGrants(directory, []);
  expect(await readGrants(directory)).toEqual([]);
});

test('rights that were taken back already, and recorded twice, are taken back once or not', async () => {
  const kvm = { ...alice, group: 'kvm' };
  await writeGrants(directory, [alice, kvm, { ...kvm, engine: 'two' }, ids]);
  const holds = async ({ group }: Grant) => group === 'kvm';
  const { grants, keptGrants } = await planWith({ holds }, fake('one'), fake('two'));
  expect({ grants, keptGrants }).toEqual({ grants: [kvm], keptGrants: [] });
  // There is no such user on this machine.
  await writeGrants(
    directory,
    [alice, ids].map((grant) => ({ ...grant, user: 'vc-no-user' })),
  );
  const real = await planRemoval([fake('one').descriptor], directory, {
    ...{ env: {}, signal, isPartial: false },
  });
  expect(real.grants).toEqual([]);
});

test('subordinate ids, which every engine uses, stay while an engine stays', async () => {
  await writeGrants(directory, [alice, ids]);
  const named = await planWith({ isPartial: true }, fake('one'));
  expect(named).toMatchObject({ grants: [alice], keptGrants: [ids] });
  const used = await plan(fake('one'), fake('two', { usedBy: '1 computer' }));
  expect(used).toMatchObject({ grants: [alice], keptGrants: [ids] });
});

test.each([
  { ...alice, user: '-alice' },
  { ...alice, group: '-x' },
  { ...ids, ids: '1-2 -x' },
  { ...alice, argv: ['sh'] },
])('a record with %j is refused: it becomes a command of root', async (grant) => {
  writeFileSync(join(directory, 'setup.json'), JSON.stringify([grant]));
  await expect(plan(fake('one'))).rejects.toThrow(/cannot read .*setup\.json/);
});
