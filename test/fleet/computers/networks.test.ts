import { afterEach, beforeEach, expect, it } from 'vitest';
import { ApiError } from '../../../src/contract/errors.js';
import { CreateComputer } from '../../../src/contract/resources.js';
import type { Restricting } from '../../../src/engines/engine.js';
import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import { networksOn } from '../../../src/fleet/computers/networks.js';
import { FakeEngine } from '../../support/fake-engine.js';
import { openTestFleet, type TestFleet } from '../../support/fleet.js';

class RestrictingEngine extends FakeEngine implements Restricting {
  problem: ApiError | undefined;
  failure: ApiError | undefined;
  /** Called before a change fails. */
  onChange: () => Promise<unknown> = async () => undefined;
  changes = 0;

  async checkNetwork(): Promise<void> {
    if (this.problem) throw this.problem;
  }

  async refusedNames() {
    return REFUSED;
  }

  async applyNetwork(): Promise<void> {
    this.changes += 1;
    const { failure } = this;
    await this.onChange();
    if (failure) throw failure;
  }
}

const LIST = { allow: ['example.com'] };
const REFUSED = [{ name: 'example.net', at: '2026-11-30T10:00:00.000Z', count: 2 }];

let test: TestFleet;
let engine: RestrictingEngine;
let owner: Owner;
const open = async (on: FakeEngine) => {
  test = await openTestFleet({ engine: on });
  owner = test.fleet.apiKeys.authenticate(test.key) ?? { id: 'nobody', keyId: 'none' };
  test.fleet.projects.create(owner, 'demo');
};
beforeEach(async () => {
  engine = new RestrictingEngine();
  await open(engine);
});
afterEach(() => test.close());

const computers = () => test.fleet.computers;
const create = (network: object | string) =>
  computers().create(
    owner,
    test.fleet.projects.find(owner, 'demo'),
    CreateComputer.parse({ name: 'desk', network }),
    'ready',
  );
const update = (id: string, network: 'internet' | 'none') =>
  computers().update(computers().find(owner, { id }), { network });
const stored = () => [...networksOn(test.store.computers, engine.name).values()];

it('asks the engine for the names that a list has refused, and only for those', async () => {
  const { id } = await create(LIST);
  const report = () =>
    computers().network(computers().find(owner, { id }), new AbortController().signal);
  expect(await report()).toEqual({ network: LIST, refused: REFUSED });
  await update(id, 'none');
  expect(await report()).toEqual({ network: 'none', refused: [] });
});

it('tells the engine what its computers may reach', async () => {
  const { id, network } = await create(LIST);
  expect([network, stored()]).toEqual([LIST, [LIST]]);
  expect((await update(id, 'none')).network).toBe('none');
  expect(stored()).toEqual(['none']);
  await update(id, 'internet');
  expect(stored()).toEqual([]);
});

it('keeps the network of a computer whose engine could not change it', async () => {
  const { id } = await create(LIST);
  engine.failure = new ApiError('engine_unavailable', 'it is away');
  await expect(update(id, 'internet')).rejects.toThrow('it is away');
  expect(stored()).toEqual([LIST]);
  // Once more, for a machine that has taken a part of it.
  expect(engine.changes).toBe(2);
});

it('a change that fails does not undo a later one', async () => {
  const { id } = await create(LIST);
  engine.failure = new ApiError('engine_unavailable', 'it is away');
  engine.onChange = async () => {
    engine.failure = undefined;
    engine.onChange = async () => undefined;
    await update(id, 'none');
  };
  await expect(update(id, 'internet')).rejects.toThrow('it is away');
  expect(stored()).toEqual(['none']);
});

it('refuses what the engine cannot enforce, before anything is changed', async () => {
  engine.problem = new ApiError('unsupported', 'needs dnsmasq');
  await expect(create(LIST)).rejects.toThrow('needs dnsmasq');
  expect(test.fleet.computers.records(owner)).toEqual([]);
  await create('internet');
});

it('refuses a restriction on an engine that has none', async () => {
  await test.close();
  await open(new FakeEngine());
  await expect(create('none')).rejects.toThrow(
    'cannot restrict or throttle the network of a single computer',
  );
  const { id } = await create('internet');
  await expect(update(id, 'none')).rejects.toThrow('cannot restrict');
  expect((await update(id, 'internet')).network).toBe('internet');
});
