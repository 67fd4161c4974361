import { asFailure, Failure, failureOf } from '../../api/failure.js';
import type { Session } from '../../api/types.js';
import { ending, session } from '../session.js';

/** The name of this page is on loopback, where another user's program can take the service's port. */
export const isShared = location.protocol === 'http:' && location.hostname.endsWith('.localhost');

let key: Promise<CryptoKey> | undefined;
let isProven = true;
let losses = 0;
let proving: Promise<void> | undefined;

/** Keeps the key of a new session. The first one counts: a later answer may be of another program. */
export function keepProofKey({ proof_key }: Session): void {
  if (!isShared) return;
  const bytes = Uint8Array.from(atob(proof_key), (character) => character.charCodeAt(0));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  key ??= crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
}

/** Forgets the session's key with it. */
export function dropProofKey(): void {
  key = undefined;
  isProven = true;
}

/** A connection was lost: what answers next may be another program. */
export function noteLoss(): void {
  losses += 1;
  isProven = !isShared;
}

/**
 * Resolves when the service has proved that it is the one that has opened the session, if a connection
 * was lost since the last proof. Throws {@link Failure}; another program ends the session.
 */
export function requireProof(): Promise<void> {
  if (isProven || key === undefined) return Promise.resolve();
  proving ??= prove(key).finally(() => {
    proving = undefined;
  });
  return proving;
}

async function prove(known: Promise<CryptoKey>): Promise<void> {
  const challenge = crypto.randomUUID();
  const before = losses;
  const headers = { 'x-vc-page': '1' };
  const response = await fetch(`/api/sessions/current?challenge=${challenge}`, { headers }).catch(
    () => undefined,
  );
  if (response?.status === 401) throw await failureOf(response);
  // Also while it stops: it is asked again.
  if (!response?.ok) {
    throw new Failure('The service cannot be reached.', { status: 0, code: 'unreachable' });
  }
  const { proof } = (await response.json().catch(() => ({}))) as Partial<Session>;
  if (typeof proof === 'string' && (await isProof(await known, challenge, proof))) {
    // Unless another connection was lost meanwhile.
    isProven = losses === before;
    return;
  }
  ending.value = new Failure('Another program answers at the address of the service.', {
    status: 401,
    code: 'unauthorized',
    remedy: 'See who listens there (ss -ltnp), then log in again.',
  });
  session.value = null;
  throw asFailure(ending.value);
}

async function isProof(known: CryptoKey, challenge: string, proof: string): Promise<boolean> {
  try {
    const bytes = Uint8Array.from(atob(proof), (character) => character.charCodeAt(0));
    return await crypto.subtle.verify('HMAC', known, bytes, new TextEncoder().encode(challenge));
  } catch {
    return false;
  }
}
