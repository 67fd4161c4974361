import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import { CreateComputer } from '../../../src/contract/resources.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { FakeSnapshottingEngine } from '../../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';

let test: TestFleet;
let engine: FakeSnapshottingEngine;
let owner: Owner;

beforeEach(async () => {
  engine = new FakeSnapshottingEngine();
  test = await openTestFleet({ engine, maxRunning: 5 });
  owner = test.fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
  test.fleet.projects.create(owner, 'demo');
  await create('desk');
});
afterEach(() => test.close());

const record = (name: string) => test.fleet.computers.find(owner, { project: 'demo', name });
const create = (name: string, more: object = {}) => {
  const project = test.fleet.projects.find(owner, 'demo');
  const input = CreateComputer.parse({ name, ...more });
  return test.fleet.computers.create(owner, project, input, 'ready');
};
const save = (name: string, snapshot?: string) =>
  test.fleet.images.save(owner, record('desk'), { name, snapshot });
const write = (name: string, text: string) => engine.contents.set(record(name).id, text);
const read = (name: string) => engine.contents.get(record(name).id);
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error) => (error instanceof ApiError ? error.code : String(error)),
  );

it('computers are made from a saved image, and put back to it', async () => {
  write('desk', 'browser ready');
  expect(await save('browser-ready')).toMatchObject({
    ...{ name: 'browser-ready', engine: 'docker', os: 'linux', kind: 'saved', bytes: 100 },
    used_by: 0,
  });
  const computer = await create('x', { image: 'browser-ready' });
  expect(computer).toMatchObject({ image: 'browser-ready', status: 'running' });
  write('x', 'changed');
  await test.fleet.computers.reset(record('x'), undefined);
  expect(read('x')).toBe('browser ready');
  expect(await test.fleet.images.get(owner, 'browser-ready')).toMatchObject({ used_by: 1 });
});

describe('an image', () => {
  it('is saved from a snapshot', async () => {
    write('desk', 'clean');
    await test.fleet.snapshots.create(record('desk'), { name: 'clean', memory: true });
    write('desk', 'later');
    await save('clean', 'clean');
    await create('x', { image: 'clean' });
    expect(read('x')).toBe('clean');
  });

  it('that replaces another leaves its computers what they were made from', async () => {
    write('desk', 'first');
    await save('box');
    await create('x', { image: 'box' });
    write('desk', 'second');
    await save('box');
    await create('y', { image: 'box' });
    write('x', 'changed');
    await test.fleet.computers.reset(record('x'), undefined);
    expect([read('x'), read('y')]).toEqual(['first', 'second']);
    expect(engine.disks.size).toBe(2);
    await test.fleet.computers.remove(record('x'));
    expect(engine.disks.size).toBe(1);
    await save('box');
    await save('box');
    // The one of "y", and the present one.
    expect(engine.disks.size).toBe(2);
  });

  it('is not deleted while computers need it', async () => {
    await save('box');
    await create('x', { image: 'box' });
    await expect(test.fleet.images.remove(owner, 'box')).rejects.toMatchObject({
      code: 'conflict',
      message: 'The image "box" is needed by demo/x.',
      remedy: 'Remove them first: vc rm demo/x',
    });
    await test.fleet.computers.remove(record('x'));
    await test.fleet.images.remove(owner, 'box');
    expect(engine.disks.size).toBe(0);
    expect(await refusal(create('y', { image: 'box' }))).toBe('image_missing');
  });

  it('with many computers says how to list them', async () => {
    await save('box');
    for (const name of ['a', 'b', 'c', 'd']) await create(name, { image: 'box' });
    await expect(test.fleet.images.remove(owner, 'box')).rejects.toMatchObject({
      message: expect.stringMatching(/^The image "box" is needed by demo\/\w, .* and 1 more\.$/),
      remedy: 'Remove them first; to list yours: vc ls --all --image box',
    });
  });

  it('of another owner does not exist', async () => {
    await save('box');
    const other = test.fleet.apiKeys.authenticate(test.addOwner('other'));
    if (other === undefined) throw new Error('there is no other owner');
    expect(await refusal(test.fleet.images.get(other, 'box'))).toBe('not_found');
    expect(await refusal(test.fleet.images.remove(other, 'box'))).toBe('not_found');
    const { images } = await test.fleet.images.list(other);
    expect(images.map(({ name }) => name)).toEqual(['linux']);
  });

  it('that an administrator has shared is used by other owners, and changed by administrators', async () => {
    const other = test.fleet.apiKeys.authenticate(test.addOwner('other'));
    if (other === undefined) throw new Error('there is no other owner');
    write('desk', 'shared');
    const label = { name: 'box', shared: true };
    const saved = await test.fleet.images.save(owner, record('desk'), label);
    expect(saved).toMatchObject({ name: 'box', kind: 'shared', used_by: 0 });
    const project = test.fleet.projects.create(other, 'theirs');
    const theirs = async (name: string) => {
      const input = CreateComputer.parse({ name, image: 'box' });
      const row = test.fleet.projects.find(other, project.name);
      const { id } = await test.fleet.computers.create(other, row, input, 'ready');
      return test.fleet.computers.find(other, { id });
    };
    const first = await theirs('x');
    expect(engine.contents.get(first.id)).toBe('shared');
    await create('mine', { image: 'box' });
    // Of another owner's computers, only administrators see how many there are.
    expect(await test.fleet.images.get(other, 'box')).toMatchObject({ kind: 'shared', used_by: 1 });
    expect(await test.fleet.images.get(owner, 'box')).toMatchObject({ used_by: 2 });
    expect(await refusal(test.fleet.images.remove(other, 'box'))).toBe('conflict');
    expect(await refusal(test.fleet.images.save(other, first, label))).toBe('forbidden');
    await test.fleet.computers.remove(record('mine'));
    await expect(test.fleet.images.remove(owner, 'box')).rejects.toMatchObject({
      message: 'The image "box" is needed by 1 computer of another owner.',
      remedy: 'Replace it: save or build another image under its name.',
    });

    // An own one comes first; it replaces no shared one.
    engine.contents.set(first.id, 'own');
    expect(await test.fleet.images.save(other, first, { name: 'box' })).toMatchObject({
      kind: 'saved',
    });
    expect(engine.contents.get((await theirs('y')).id)).toBe('own');
    write('desk', 'new');
    await test.fleet.images.save(owner, record('desk'), label);
    const kinds = async (of: Owner) =>
      (await test.fleet.images.list(of)).images.map(({ name, kind }) => `${name} ${kind}`);
    expect(await kinds(other)).toEqual(['box saved', 'box shared', 'linux disk']);
    await test.fleet.images.remove(owner, 'box');
    expect(await kinds(owner)).toEqual(['linux disk']);
    expect(await kinds(other)).toEqual(['box saved', 'linux disk']);
  });

  it('goes with its owner', async () => {
    const key = test.addOwner('other');
    const other = test.fleet.apiKeys.authenticate(key);
    if (other === undefined) throw new Error('there is no other owner');
    const project = test.fleet.projects.create(other, 'p');
    const input = CreateComputer.parse({ name: 'c' });
    const row = test.fleet.projects.find(other, project.name);
    const { id } = await test.fleet.computers.create(other, row, input, 'ready');
    const computer = test.fleet.computers.find(other, { id });
    await test.fleet.images.save(other, computer, { name: 'box' });
    await test.fleet.snapshots.create(computer, { memory: true });
    await test.fleet.owners.remove(owner, 'other', 'delete');
    expect(engine.disks.size).toBe(0);
  });

  it.each([
    ['the name of a recipe', () => save('linux'), 'invalid_request'],
    ['the name of an operating system', () => save('windows'), 'invalid_request'],
    ['a snapshot that is not there', () => save('box', 'none'), 'not_found'],
    ['the deletion of one of the service', () => remove('linux'), 'conflict'],
    ['the deletion of none', () => remove('none'), 'not_found'],
    ['another engine', () => create('x', { image: 'own', engine: 'qemu' }), 'image_missing'],
    ['another system', () => create('x', { image: 'own', os: 'windows' }), 'invalid_request'],
  ])('refuses %s', async (_, attempt, code) => {
    await save('own');
    expect(await refusal(attempt())).toBe(code);
  });
  const remove = (name: string) => test.fleet.images.remove(owner, name);
});
