import { expect, it } from 'vitest';
import { waysToFork } from '../../../../../src/engines/qemu/snapshots/fork/ways.js';
import { machineRecord } from '../../../../support/qemu/machine-record.js';

it('only the memory of an emulated machine of our own is mapped, and only by root', async () => {
  const record = await machineRecord({});
  const imported = { ...record, image: { ...record.image, kind: 'disk' as const } };
  expect(waysToFork(record, 'tcg', 0)).toEqual(['fork-mapped', 'fork']);
  expect(waysToFork(record, 'kvm', 0)).toEqual(['fork']);
  expect(waysToFork(record, 'tcg', 1000)).toEqual(['fork']);
  expect(waysToFork(imported, 'tcg', 0)).toEqual(['fork']);
});
