import { ApiError } from '../../contract/errors.js';
import type { ComputerRecord } from '../store/records.js';

/** Where a page of computers ends. */
export type Position = Pick<ComputerRecord, 'created_at' | 'id'>;

const START: Position = { created_at: '', id: '' };

export function encodeCursor({ created_at, id }: Position): string {
  return Buffer.from(`${created_at} ${id}`).toString('base64url');
}

/** Throws `invalid_request` for a text that is no cursor. */
export function decodeCursor(cursor: string | undefined): Position {
  if (cursor === undefined) return START;
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, created_at, id] = /^(\d{4}-[\d-]{5}T[\d:.]{12}Z) (cmp_[0-9a-z]{20})$/.exec(text) ?? [];
  if (created_at !== undefined && id !== undefined) return { created_at, id };
  throw new ApiError('invalid_request', 'cursor is not the next_cursor of a page.', {
    remedy: 'Leave it out to begin with the first page.',
  });
}
