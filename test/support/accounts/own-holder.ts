import type { HolderOf } from '../../../src/fleet/store/accounts/key-holders.js';

/** Each key for itself. */
export const ownHolder: HolderOf = (keyId) => keyId;
