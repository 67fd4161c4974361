import type { Owner } from '../../src/fleet/accounts/api-keys.js';
import type { KeyInUse } from '../../src/fleet/accounts/key-shares.js';

/** An owner's key with all rights. */
export const fullKey = ({ keyId }: Pick<Owner, 'keyId'>): KeyInUse => ({
  ...{ id: keyId, isLimited: false },
});
