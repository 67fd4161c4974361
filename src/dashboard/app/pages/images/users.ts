import type { Image } from '../../api/types.js';

/** How many computers need a saved image; empty for others. */
export function usersOf({ used_by }: Pick<Image, 'used_by'>): string {
  if (used_by === null) return '';
  return used_by === 1 ? '1 computer' : `${used_by} computers`;
}
