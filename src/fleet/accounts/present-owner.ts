import { ApiError } from '../../contract/errors.js';
import type { Store } from '../store/index.js';
import type { OwnerRecord } from '../store/records.js';

/** The owner of a request, which may have begun before its owner was deleted. */
export function presentOwner(store: Store, ownerId: string): OwnerRecord {
  const owner = store.owners.findOwner(ownerId);
  if (owner !== undefined && owner.deleting_by === null) return owner;
  throw new ApiError('unauthorized', 'The owner of this API key was deleted.');
}
