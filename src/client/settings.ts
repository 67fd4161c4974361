import { configDirectory, profilePath } from '../profile/directory.js';
import { readProfiles } from '../profile/file.js';
import { settingsOf } from '../profile/resolve.js';
import { parseBaseUrl } from './http/request-parts.js';
import type { ClientOptions } from './options.js';

type Given = Partial<Pick<ClientOptions, 'apiKey'>> & {
  readonly baseUrl?: string | undefined;
};

/** Base URL and key: as given, or else as the environment and the profile say. */
export function findSettings(
  given: Given,
  profile: string | undefined,
): Pick<ClientOptions, 'baseUrl' | 'apiKey'> {
  const { baseUrl, apiKey } = given;
  // A damaged profile file does not matter to a caller who needs none.
  if (baseUrl !== undefined && apiKey !== undefined) return { ...given, baseUrl, apiKey };
  if (baseUrl !== undefined) parseBaseUrl(baseUrl);
  const path = profilePath(configDirectory(process.env));
  const found = settingsOf(readProfiles(path), path, process.env, {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(profile === undefined ? {} : { profile }),
  });
  const key = apiKey ?? found.apiKey?.value;
  return { baseUrl: found.baseUrl.value, ...(key === undefined ? {} : { apiKey: key }) };
}
