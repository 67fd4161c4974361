import { includesRight } from '../../contract/access/rights.js';
import { ApiError } from '../../contract/errors.js';
import type { CachedKey } from '../store/accounts/keys.js';
import type { KeyRecord } from '../store/records.js';

/** The expiry of a new or changed key, normalized. Throws `invalid_request` for one in the past. */
export function expiryOf(given: string | null): string | null {
  if (given === null) return null;
  const time = new Date(given);
  if (time.getTime() > Date.now()) return time.toISOString();
  throw new ApiError('invalid_request', 'expires_at must be in the future.', {
    remedy: 'To end a key now, remove it: vc key rm ID',
  });
}

/**
 * Throws `forbidden` for a key that could do more, in more projects or for longer than `own`, which
 * creates or changes it.
 */
export function refuseMore(
  own: CachedKey,
  key: Pick<KeyRecord, 'rights' | 'project_id' | 'expires_at'>,
  which: 'wanted' | 'existing' = 'wanted',
): void {
  const refuse = (reason: string, remedy: string) => {
    throw new ApiError('forbidden', reason, { remedy });
  };
  if (!includesRight(own.rights, key.rights)) {
    refuse(
      `Your API key has the right ${JSON.stringify(own.rights)}, and that one ${JSON.stringify(key.rights)}.`,
      'Use a key with more rights.',
    );
  }
  if (own.project_id !== null && own.project_id !== key.project_id) {
    refuse(
      'Your API key is for one project, and that one is not for the same project alone.',
      'Name the project: vc key create NAME --project PROJECT',
    );
  }
  const expiresAt = key.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(key.expires_at);
  if (which === 'wanted' && expiresAt > own.expiresAt) {
    refuse(
      `Your API key expires at ${new Date(own.expiresAt).toISOString()}, and that one would be valid for longer.`,
      'Give it an earlier expiry: vc key create NAME --expires TIME',
    );
  }
}

/** Throws `forbidden` if the key expires, because the first key of a new owner does not. */
export function refuseExpiring(own: CachedKey): void {
  if (!Number.isFinite(own.expiresAt)) return;
  const message = `Your API key expires at ${new Date(own.expiresAt).toISOString()}, and the key of a new owner does not.`;
  throw new ApiError('forbidden', message, { remedy: 'Use a key that does not expire.' });
}
