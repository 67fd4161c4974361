import { access, constants } from 'node:fs/promises';

/** True if this process can access `path` in the given mode, by default: if the path exists. */
export function canAccess(path: string, mode: number = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
