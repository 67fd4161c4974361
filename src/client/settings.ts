import { configDirectory, profilePath } from '../profile/directory.js';
import { readProfiles } from '../profile/file.js';
import { settingsOf } from '../profile/resolve.js';
import { parseBaseUrl } from './http/request-parts.js';
import type { ClientOptions, ListenerUid } from './options.js';

type Given = Partial<Pick<ClientOptions, 'apiKey' | 'listenerUid'>> & {
  readonly baseUrl?: string | undefined;
};

/** Base URL, key and listener uid: as given, or else as the environment and the profile say. */
export function findSettings(
  given: Given,
  profile: string | undefined,
): Pick<ClientOptions, 'baseUrl' | 'apiKey' | 'listenerUid'> {
  const { baseUrl, apiKey, listenerUid } = given;
  // A damaged profile file does not matter to a caller who needs none.
  if (baseUrl !== undefined && apiKey !== undefined) return { ...given, baseUrl, apiKey };
  if (baseUrl !== undefined) parseBaseUrl(baseUrl);
  const path = profilePath(configDirectory(process.env));
  const found = settingsOf(readProfiles(path), path, process.env, {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(profile === undefined ? {} : { profile }),
  });
  const key = apiKey ?? found.apiKey?.value;
  const uid = listenerUid ?? parseUid(found.listenerUid?.value);
  return {
    baseUrl: found.baseUrl.value,
    ...(key === undefined ? {} : { apiKey: key }),
    ...(uid === undefined ? {} : { listenerUid: uid }),
  };
}

function parseUid(text: string | undefined): ListenerUid | undefined {
  if (text === undefined || text === 'any') return text;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new TypeError(`the listener uid ${JSON.stringify(text)} is neither a uid nor "any"`);
}
