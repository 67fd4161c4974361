import { DEFAULT_BASE_URL } from '../contract/constants.js';
import { readBoundedSync } from '../lib/fs/read-bounded.js';
import type { Environment } from './directory.js';
import { type ProfileFile, reason } from './file.js';
import { recordedSocket } from './service-socket.js';
import type { ProfileStore } from './store.js';

/** The source of a setting, highest precedence first. */
export type Source = 'flag' | 'environment' | 'profile' | 'default';

export interface Setting<T> {
  readonly value: T;
  readonly source: Source;
  /** The flag, variable or profile that it was read from. */
  readonly from: string;
}

export interface Settings {
  readonly profile: Setting<string>;
  readonly baseUrl: Setting<string>;
  readonly apiKey: Setting<string> | undefined;
  readonly project: Setting<string> | undefined;
  /** Unix socket of the service. */
  readonly socketPath?: string | undefined;
  /** Path of the PEM file of the certificate authority to trust. */
  readonly cacert?: Setting<string> | undefined;
  /** The content of that file, read when it is used. Throws CertificateFileError. */
  readonly ca?: string | undefined;
}

/** Command-line flags. There is none for the key, because every user can see arguments. */
export interface Flags {
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly project?: string;
  readonly cacert?: string;
}

/** The profile that a flag or VC_PROFILE names does not exist. */
export class UnknownProfileError extends Error {
  override readonly name = 'UnknownProfileError';
  readonly profile: string;
  readonly known: readonly string[];

  constructor(profile: string, known: readonly string[]) {
    super(`there is no profile "${profile}"`);
    this.profile = profile;
    this.known = known;
  }
}

/**
 * Precedence: flag > environment > profile > default, for each value; an empty variable counts as
 * unset. Exception: a profile's key and socket apply only to the profile's own base URL, never to one
 * from a flag or variable.
 */
export async function resolveSettings(
  store: ProfileStore,
  env: Environment,
  flags: Flags = {},
): Promise<Settings> {
  const settings = settingsOf(await store.read(), store.path, env, flags);
  const { socketPath = recordedSocket(settings.baseUrl.value, env) } = settings;
  return {
    ...settings,
    socketPath,
    // Commands that send no request work without the file.
    get ca() {
      return settings.cacert && readAuthority(settings.cacert);
    },
  };
}

/** Largest file of certificate authorities that is read. */
const MOST_BYTES = 4 << 20;

/** The file of the certificate authority cannot be used. */
export class CertificateFileError extends Error {
  override readonly name = 'CertificateFileError';
  readonly remedy: string;

  constructor({ value: path, source, from }: Setting<string>, cause: unknown) {
    super(`cannot use the certificates in ${path} (${from}): ${reason(cause)}`, { cause });
    this.remedy =
      source === 'profile'
        ? `put the file back, or name another: vc login --profile ${from} --cacert FILE; without --cacert the profile has none`
        : `name a PEM file with ${from}`;
  }
}

/** The certificates in a file. Throws CertificateFileError. */
export function readAuthority(cacert: Setting<string>): string {
  try {
    const text = readBoundedSync(cacert.value, MOST_BYTES).toString();
    if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new Error('it has no certificate');
    return text;
  } catch (cause) {
    throw new CertificateFileError(cacert, cause);
  }
}

/** The same for profiles that have been read from `path`. */
export function settingsOf(
  file: ProfileFile,
  path: string,
  env: Environment,
  flags: Flags = {},
): Settings {
  const profile =
    fromFlag('--profile', flags.profile) ??
    fromEnvironment('VC_PROFILE', env) ??
    setting(file.current, 'default', path);
  const stored = Object.hasOwn(file.profiles, profile.value)
    ? file.profiles[profile.value]
    : undefined;
  if (stored === undefined && profile.source !== 'default') {
    throw new UnknownProfileError(profile.value, Object.keys(file.profiles));
  }
  const fromProfile = (value: string | undefined) =>
    value === undefined ? undefined : setting(value, 'profile', profile.value);

  const baseUrl =
    fromFlag('--base-url', flags.baseUrl) ??
    fromEnvironment('VC_BASE_URL', env) ??
    fromProfile(stored?.baseUrl) ??
    setting<string>(DEFAULT_BASE_URL, 'default', 'built in');
  const isAtHome = stored !== undefined && sameBaseUrl(stored.baseUrl, baseUrl.value);
  return {
    profile,
    baseUrl,
    apiKey:
      fromEnvironment('VC_API_KEY', env) ?? (isAtHome ? fromProfile(stored.apiKey) : undefined),
    project:
      fromFlag('--project', flags.project) ??
      fromEnvironment('VC_PROJECT', env) ??
      fromProfile(stored?.project),
    socketPath: isAtHome ? stored.socket : undefined,
    cacert: givenAuthority(flags, env) ?? (isAtHome ? fromProfile(stored.cacert) : undefined),
  };
}

/** The file of certificates that a flag or variable names. */
export function givenAuthority({ cacert }: Flags, env: Environment): Setting<string> | undefined {
  return fromFlag('--cacert', cacert) ?? fromEnvironment('VC_CACERT', env);
}

/** True if two base URLs are the same address; `localhost` is 127.0.0.1. */
export function sameBaseUrl(one: string, other: string): boolean {
  return normalize(one) === normalize(other);
}

function normalize(baseUrl: string): string {
  const trimmed = baseUrl.replace(/\/+$/, '');
  if (!URL.canParse(trimmed)) return trimmed;
  const url = new URL(trimmed);
  if (url.hostname === 'localhost') url.hostname = '127.0.0.1';
  return url.href;
}

function setting<T>(value: T, source: Source, from: string): Setting<T> {
  return { value, source, from };
}

function fromFlag(flag: string, value: string | undefined): Setting<string> | undefined {
  return value === undefined ? undefined : setting(value, 'flag', flag);
}

function fromEnvironment(name: string, env: Environment): Setting<string> | undefined {
  const value = env[name];
  return value ? setting(value, 'environment', name) : undefined;
}
