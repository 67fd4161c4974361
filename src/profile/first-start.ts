import { configDirectory, type Environment } from './directory.js';
import { DEFAULT_PROFILE, type ProfileFile } from './file.js';
import { sameBaseUrl } from './resolve.js';
import { ProfileStore } from './store.js';

/** Where the key of a service's first start was written. */
export interface FirstKeyResult {
  readonly profile: string;
  /** False when the current profile points to another service. */
  readonly isCurrent: boolean;
  readonly path: string;
}

/**
 * Writes the key of a service's first start into the profile `default`, so that `vc` works at once
 * on the same machine. A profile that points elsewhere is the user's own and is never touched: the
 * key then goes into `local`, or `local-2` and so on. One that points here has the key of an
 * earlier state, which no longer works, and is replaced.
 * @throws ProfileFileError the file is damaged or cannot be written
 */
export async function writeDefaultProfile(
  local: { readonly baseUrl: string; readonly apiKey: string; readonly socket?: string },
  env: Environment = process.env,
): Promise<FirstKeyResult> {
  const store = new ProfileStore(configDirectory(env));
  const file = await store.read();
  const profile = freeName(file, local.baseUrl);
  await store.set(profile, { ...file.profiles[profile], ...local });
  const { current } = await store.read();
  return { profile, isCurrent: current === profile, path: store.path };
}

function freeName({ profiles }: ProfileFile, baseUrl: string): string {
  for (let number = 0; ; number += 1) {
    const name = number === 0 ? DEFAULT_PROFILE : number === 1 ? 'local' : `local-${number}`;
    const existing = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    if (existing === undefined || sameBaseUrl(existing.baseUrl, baseUrl)) return name;
  }
}
