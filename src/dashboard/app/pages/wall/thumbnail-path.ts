import type { WallComputer } from '../../api/types.js';

const WIDTH = 320;

/** Below the API: the picture of a computer at its last change. */
export function thumbnailPath({ id, seq }: Pick<WallComputer, 'id' | 'seq'>): string {
  return `/computers/${id}/thumbnail?width=${WIDTH}&seq=${seq}`;
}
