import { sameBaseUrl } from '../../../profile/index.js';
import type { Context } from '../../framework/context.js';

/** The default project where none is set. `vc create` creates it if it is missing. */
export const DEFAULT_PROJECT = 'default';

/** The project of -p, VC_PROJECT or the profile. */
export async function defaultProject(context: Context): Promise<string | undefined> {
  return (await context.settings()).project?.value;
}

/**
 * Saves the default project in the profile in use, or removes it. False if there is no such profile,
 * or if it is for another service than the one in use.
 */
export async function saveDefaultProject(
  context: Context,
  project: string | undefined,
): Promise<boolean> {
  const { profile, baseUrl } = await context.settings();
  const store = context.profiles();
  const { profiles } = await store.read();
  const stored = Object.hasOwn(profiles, profile.value) ? profiles[profile.value] : undefined;
  if (stored === undefined || !sameBaseUrl(stored.baseUrl, baseUrl.value)) return false;
  const { project: _, ...rest } = stored;
  await store.set(profile.value, project === undefined ? rest : { ...rest, project });
  return true;
}
