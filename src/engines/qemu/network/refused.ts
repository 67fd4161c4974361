import { constants, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { RefusedName } from '../../../contract/resources/network.js';
import { MOST_BYTES, parseRefusedNames } from '../../network/refused-names.js';
import { unlessMissing } from '../disk/files.js';
import { REFUSED_FILE } from '../process/supervisor-script.js';

/** Of the machine with this directory, which its QEMU can write to: a link is not followed. */
export async function readRefusedNames(directory: string): Promise<RefusedName[]> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await unlessMissing(open(join(directory, REFUSED_FILE), flags));
  if (file === undefined) return [];
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0);
    return parseRefusedNames(buffer.toString('utf8', 0, bytesRead));
  } finally {
    await file.close();
  }
}
