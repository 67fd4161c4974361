import type { Owner } from '../../fleet/accounts/api-keys.js';
import { keyInUse } from '../../fleet/accounts/limits/key-shares.js';
import type { Fleet } from '../../fleet/fleet.js';
import type { ConnectionOwner } from '../limits/connections.js';

/** Whose a connection is from now on that has shown this key. */
export function connectionOwner(
  { apiKeys }: Pick<Fleet, 'apiKeys'>,
  owner: Owner,
): ConnectionOwner {
  const { ownerId, id, isLimited } = keyInUse(apiKeys, owner);
  return { ownerId, queue: isLimited ? id : undefined };
}
