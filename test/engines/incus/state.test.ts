import { expect, test } from 'vitest';
import { instanceName, KEY, machineOf } from '../../../src/engines/incus/ids.js';
import { machineState } from '../../../src/engines/incus/machine/state.js';

const config = { [KEY.service]: 'mine', [KEY.machine]: 'cmp_1' };
const instance = (status: string, change: object = {}) =>
  machineState('mine', { name: 'vc-cmp-1', status, location: 'm1', config, ...change });

test('an instance is the machine that its keys and its name say', () => {
  const known = { id: 'cmp_1', member: 'm1', label: {} };
  expect(instance('Running')).toEqual({ ...known, status: 'running' });
  expect(instance('Frozen')).toEqual({ ...known, status: 'running' });
  expect(instance('Stopped')).toEqual({ ...known, status: 'stopped' });
  // A server without a cluster.
  const { member: _, ...alone } = known;
  expect(instance('Stopped', { location: 'none' })).toEqual({ ...alone, status: 'stopped' });
  expect(instance('Error')).toMatchObject({ id: 'cmp_1', status: 'error' });
});

test('instances of others are none', () => {
  expect(instance('Running', { config: { ...config, [KEY.service]: 'another' } })).toBeUndefined();
  expect(instance('Running', { config: {} })).toBeUndefined();
  expect(instance('Running', { name: 'web' })).toBeUndefined();
  // A copy that an operator made has the keys of its source.
  expect(instance('Running', { name: 'vc-copy' })).toBeUndefined();
});

test('one whose member does not answer is unreachable, never gone', () => {
  expect(instance('Error', { config: null })).toEqual({
    ...{ id: 'cmp_1', status: 'unreachable', member: 'm1' },
    reason: 'The cluster member "m1" that has it cannot be reached.',
  });
});

test('names and ids correspond', () => {
  expect(instanceName('cmp_0a_b')).toBe('vc-cmp-0a-b');
  expect(machineOf('vc-cmp-0a-b')).toBe('cmp_0a_b');
  expect(machineOf('unpack-linux')).toBeUndefined();
  expect(() => instanceName('../x')).toThrow('not a machine');
});
