import { readBoundedSync } from '../lib/fs/read-bounded.js';

/** How to reach a service: base URL, key and default project. */
export interface Profile {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly project?: string;
  /** Unix socket of a service of this user, which its key is sent to in place of the base URL. */
  readonly socket?: string;
  /** Absolute path of the PEM file of the certificate authority to trust. */
  readonly cacert?: string;
}

export interface ProfileFile {
  /** Name of the profile that is used by default. */
  readonly current: string;
  readonly profiles: Readonly<Record<string, Profile>>;
  /** Command lines of the user by their names. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** The profile file is unusable. It is never reset, because it contains the user's keys. */
export class ProfileFileError extends Error {
  override readonly name = 'ProfileFileError';
  readonly remedy: string | undefined;

  constructor(message: string, options: { readonly remedy?: string; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.remedy = options.remedy;
  }
}

export const DEFAULT_PROFILE = 'default';

/** Largest profile file that is read; a profile takes some hundred bytes. */
const MOST_BYTES = 1 << 20;

/**
 * Reads the profile file without waiting, because Node.js would first start the threads for that.
 * @throws ProfileFileError it exists but is damaged or unreadable
 */
export function readProfiles(path: string): ProfileFile {
  try {
    return parsed(readBoundedSync(path, MOST_BYTES).toString(), path);
  } catch (error) {
    return withoutFile(error, path);
  }
}

function parsed(text: string, path: string): ProfileFile {
  const file = parse(text);
  if (file !== undefined) return file;
  throw new ProfileFileError(`the profile file ${path} is damaged`, {
    remedy: 'fix it; or move it away and add the profiles again: vc profile add NAME',
  });
}

function withoutFile(cause: unknown, path: string): ProfileFile {
  if (cause instanceof ProfileFileError) throw cause;
  if (isMissing(cause)) return { current: DEFAULT_PROFILE, profiles: {} };
  const message = `cannot read the profile file ${path}: ${reason(cause)}`;
  throw new ProfileFileError(message, { cause });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function parse(text: string): ProfileFile | undefined {
  try {
    const file: unknown = JSON.parse(text);
    if (!isRecord(file) || !isRecord(file.profiles) || typeof file.current !== 'string') return;
    const { current, profiles, aliases } = file;
    if (!Object.values(profiles).every(isProfile)) return;
    const read = { current, profiles: profiles as Record<string, Profile> };
    if (aliases === undefined) return read;
    return isRecord(aliases) && Object.values(aliases).every((line) => typeof line === 'string')
      ? { ...read, aliases: aliases as Record<string, string> }
      : undefined;
  } catch {
    return undefined;
  }
}

function isProfile(value: unknown): value is Profile {
  if (!isRecord(value)) return false;
  const { baseUrl, apiKey, project = '', socket = '', cacert = '' } = value;
  return [baseUrl, apiKey, project, socket, cacert].every((field) => typeof field === 'string');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
