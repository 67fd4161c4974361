import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * Folder for files that can be rebuilt: `VC_CACHE_DIR`, else `vc` in `XDG_CACHE_HOME`, else in
 * `~/.cache`. Outside the package's folder, so that all versions share it.
 */
export function defaultCacheDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment.VC_CACHE_DIR) {
    return resolve(environment.VC_CACHE_DIR);
  }
  return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'vc');
}
