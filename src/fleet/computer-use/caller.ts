import type { Owner } from '../accounts/api-keys.js';
import type { ComputerRecord } from '../store/records.js';

/** Whose calls, and on which computer. */
export interface Caller {
  readonly ownerId: string;
  readonly keyId: string;
  readonly computerId: string;
}

/** A key or computer that was removed. */
export type Removed = { readonly keyId: string } | { readonly computerId: string };

/** The pair of key and computer as one text. */
export function nameOf({ keyId, computerId }: Caller): string {
  return `${keyId} ${computerId}`;
}

export function isOf(caller: Caller, removed: Removed): boolean {
  if ('keyId' in removed) return caller.keyId === removed.keyId;
  return caller.computerId === removed.computerId;
}

export function callerOf(request: {
  readonly record: Pick<ComputerRecord, 'id'>;
  readonly by: Pick<Owner, 'id' | 'keyId'>;
}): Caller {
  const { record, by } = request;
  return { ownerId: by.id, keyId: by.keyId, computerId: record.id };
}
