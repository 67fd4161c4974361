import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/contract/errors.js';
import { CreateComputer } from '../../src/contract/resources.js';
import type { Owner } from '../../src/fleet/accounts/api-keys.js';
import { FakeEngine, FakeMountingEngine, gate } from '../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../support/fleet.js';

class OtherEngine extends FakeEngine {
  override readonly name = 'qemu';
}

let test: TestFleet;
let engine: FakeMountingEngine;
let owner: Owner;

beforeEach(async () => {
  engine = new FakeMountingEngine();
  test = await openTestFleet({ engine, other: new OtherEngine(), maxRunning: 4 });
  owner = ownerOf(test.key);
  test.fleet.projects.create(owner, 'demo');
});
afterEach(() => test.close());

function ownerOf(key: string): Owner {
  return test.fleet.apiKeys.authenticate(key) ?? { id: 'nobody', keyId: 'none' };
}
const volumes = () => test.fleet.volumes;
const create = (name: string, more: object = {}) => {
  const project = test.fleet.projects.find(owner, 'demo');
  const input = CreateComputer.parse({ name, ...more });
  return test.fleet.computers.create(owner, project, input, 'ready');
};
const record = (name: string) => test.fleet.computers.find(owner, { project: 'demo', name });
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error) => (error instanceof ApiError ? `${error.code}: ${error.message}` : String(error)),
  );

it('a computer with volumes takes no warm machine, which cannot mount them', async () => {
  const asked: unknown[] = [];
  const reserve = async (spec: unknown) => void asked.push(spec);
  Object.assign(engine, { reserve, release: () => undefined });
  await volumes().create(owner.id, { name: 'data' });
  const made = await create('one', { volumes: ['data:/data'], env: { TOKEN: 'x' } });
  expect(asked).toEqual([]);
  expect(made).toMatchObject({ volumes: [{ name: 'data' }], env_names: ['TOKEN'] });
  await create('two', { env: { TOKEN: 'x' } });
  expect(asked).toHaveLength(1);
});

describe('a volume', () => {
  it('is mounted by computers, which say so, and by copies of them', async () => {
    expect(await volumes().create(owner.id, { name: 'data' })).toMatchObject({
      ...{ name: 'data', engine: 'docker', used_by: 0 },
    });
    const one = await create('one', { volumes: ['data:/data'] });
    expect(one.volumes).toEqual([{ name: 'data', path: '/data', read_only: false }]);
    const [id = ''] = engine.volumes.keys();
    const mounts = [{ id, path: '/data', readOnly: false }];
    expect(engine.machines.get(one.id)?.spec.volumes).toEqual(mounts);
    const [copy] = await test.fleet.computers.fork(
      owner,
      record('one'),
      { names: ['copy'] },
      'ready',
    );
    expect(engine.machines.get(copy?.id ?? '')?.spec.volumes).toEqual(mounts);
    expect(volumes().list(owner.id)).toMatchObject([{ name: 'data', used_by: 2 }]);
    expect((await create('without')).volumes).toBeUndefined();
  });

  it('is not deleted while computers mount it, and goes with its files afterwards', async () => {
    await volumes().create(owner.id, { name: 'data' });
    await create('one', { volumes: [{ name: 'data', path: '/data', read_only: true }] });
    expect(await refusal(volumes().remove(owner.id, 'data'))).toBe(
      'conflict: The volume "data" is mounted by demo/one.',
    );
    await test.fleet.computers.remove(record('one'));
    expect(engine.volumes.size).toBe(1);
    await volumes().remove(owner.id, 'data');
    expect(engine.volumes.size).toBe(0);
    expect(volumes().list(owner.id)).toEqual([]);
  });

  it('belongs to its owner', async () => {
    await volumes().create(owner.id, { name: 'data' });
    const other = ownerOf(test.addOwner('bob'));
    expect(volumes().list(other.id)).toEqual([]);
    expect(await refusal(volumes().remove(other.id, 'data'))).toBe(
      'not_found: There is no volume "data".',
    );
    await volumes().create(other.id, { name: 'data' });
    expect(engine.volumes.size).toBe(2);
  });

  it('has a name of its own', async () => {
    await volumes().create(owner.id, { name: 'data' });
    expect(await refusal(volumes().create(owner.id, { name: 'data' }))).toMatch(/^name_taken: /);
    expect(engine.volumes.size).toBe(1);
  });

  it('is on one engine, which its computers get', async () => {
    await volumes().create(owner.id, { name: 'data' });
    expect(await refusal(create('x', { engine: 'qemu', volumes: ['data:/data'] }))).toBe(
      'unsupported: The engine "qemu" has no volumes.',
    );
    expect(await refusal(volumes().create(owner.id, { name: 'y', engine: 'qemu' }))).toBe(
      'unsupported: The engine "qemu" has no volumes.',
    );
    expect(await refusal(create('x', { volumes: ['dato:/data'] }))).toMatch(/^not_found: /);
    expect(await create('x', { volumes: ['data:/data'] })).toMatchObject({ engine: 'docker' });
  });

  it('counts as storage once it was measured', async () => {
    await volumes().create(owner.id, { name: 'data' });
    volumes().measure(owner.id);
    await expect.poll(() => test.fleet.computers.storage(owner.id).storage_bytes).toBe(5e9);
    test.fleet.owners.update(owner.id, { max_storage: 4 });
    expect(await refusal(volumes().create(owner.id, { name: 'more' }))).toMatch(/^limit_reached: /);
  });
});

describe('nothing is left', () => {
  it('of a volume that could not be created', async () => {
    engine.failure = new ApiError('unsupported', 'no volumes here');
    expect(await refusal(volumes().create(owner.id, { name: 'data' }))).toMatch(/^unsupported: /);
    engine.failure = undefined;
    const left = () => {
      volumes().reconcile(engine);
      return engine.volumes.size;
    };
    await expect.poll(left).toBe(0);
    await volumes().create(owner.id, { name: 'data' });
  });

  it('of one whose deletion or creation was interrupted', async () => {
    await volumes().create(owner.id, { name: 'data' });
    engine.failure = new ApiError('engine_unavailable', 'the engine is away');
    expect(await refusal(volumes().remove(owner.id, 'data'))).toMatch(/^engine_unavailable: /);
    expect(volumes().list(owner.id)).toEqual([]);
    engine.failure = undefined;
    const id = 'vol_interrupted';
    engine.volumes.set(id, 1);
    test.store.volumes.insert({
      ...{ id, owner_id: owner.id, engine: 'docker', member: null, name: 'half' },
    });
    test = await test.restart();
    await expect.poll(() => engine.volumes.size).toBe(0);
  });

  it('of one that is removed for long, which is begun once', async () => {
    await volumes().create(owner.id, { name: 'data' });
    const { passed, open } = gate();
    engine.pause = passed;
    const removed = volumes().remove(owner.id, 'data');
    volumes().reconcile(engine);
    await volumes().create(owner.id, { name: 'data' });
    open();
    await removed;
    expect(engine.removals).toHaveLength(1);
    expect(engine.volumes.size).toBe(1);
  });

  it('of the volumes of an owner who is deleted', async () => {
    const other = ownerOf(test.addOwner('bob'));
    await volumes().create(other.id, { name: 'data' });
    await test.fleet.owners.remove(owner, 'bob', 'delete');
    expect(engine.volumes.size).toBe(0);
  });
});
