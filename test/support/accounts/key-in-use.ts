import type { Owner } from '../../../src/fleet/accounts/api-keys.js';
import type { KeyInUse } from '../../../src/fleet/accounts/limits/key-shares.js';

/** A key with all rights. */
export const fullKey = ({ id: ownerId, keyId: id }: Owner): KeyInUse => ({
  ...{ ownerId, id, isLimited: false },
});

/** The same, of an owner. */
export const fullKeyOf = (ownerId: string): KeyInUse => fullKey({ id: ownerId, keyId: 'full' });

export const limitedKeyOf = (ownerId: string, id: string): KeyInUse => ({
  ...{ ownerId, id, isLimited: true },
});
