// @module-tag slow
import { expect } from 'vitest';
import { allRights, openTestFleet } from '../../support/fleet.js';
import { promise } from '../../support/run/promise.js';

promise(
  29,
  'the number of keys per owner is limited, and keys are looked up in memory',
  async () => {
    const world = await openTestFleet();
    try {
      const { apiKeys, keys: management } = world.fleet;
      const owner = apiKeys.authenticate(world.key);
      if (owner === undefined) throw new Error('the key is unknown');
      const keys = Array.from({ length: 199 }, (_, i) =>
        management.create(owner, allRights(`key ${i}`)),
      );
      expect(() => management.create(owner, allRights('one more'))).toThrow(
        '200 API keys, which is the limit',
      );
      for (const { key } of keys) expect(apiKeys.authenticate(key)?.id).toBe(owner.id);
      management.remove(owner, keys[0]?.id ?? '');
      expect(management.create(owner, allRights('in its place')).name).toBe('in its place');
    } finally {
      await world.close();
    }
  },
);
