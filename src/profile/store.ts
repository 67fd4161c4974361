import { join } from 'node:path';
import { makeDirectory } from '../lib/fs/directory.js';
import { readBoundedSync } from '../lib/fs/read-bounded.js';

/** How to reach a service: base URL, key and default project. */
export interface Profile {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly project?: string;
  /** A uid, or `any`: who may own the service's port besides root and the current user. */
  readonly listenerUid?: string;
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

/** 1 to 64 letters, digits, `.`, `_`, `-`, the first a letter or digit. */
export const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const FILE_NAME = 'config';
/** Largest profile file that is read; a profile takes some hundred bytes. */
const MOST_BYTES = 1 << 20;

/** Profiles in `<directory>/config.json`, 0600 in a directory 0700. */
export class ProfileStore {
  readonly directory: string;
  readonly path: string;

  constructor(directory: string) {
    this.directory = directory;
    this.path = join(directory, `${FILE_NAME}.json`);
  }

  /** As {@link readSync}. */
  async read(): Promise<ProfileFile> {
    return this.readSync();
  }

  /**
   * Reads the file itself, because loading conf takes longer than a whole command should, and without
   * waiting, because Node.js would first start the threads for that.
   * @throws ProfileFileError it exists but is damaged or unreadable
   */
  readSync(): ProfileFile {
    try {
      return this.#parsed(readBoundedSync(this.path, MOST_BYTES).toString());
    } catch (error) {
      return this.#withoutFile(error);
    }
  }

  #parsed(text: string): ProfileFile {
    const file = parse(text);
    if (file !== undefined) return file;
    throw new ProfileFileError(`the profile file ${this.path} is damaged`, {
      remedy: 'fix it; or move it away and add the profiles again: vc profile add NAME',
    });
  }

  #withoutFile(cause: unknown): ProfileFile {
    if (cause instanceof ProfileFileError) throw cause;
    if (isMissing(cause)) return { current: DEFAULT_PROFILE, profiles: {} };
    const message = `cannot read the profile file ${this.path}: ${reason(cause)}`;
    throw new ProfileFileError(message, { cause });
  }

  /** Adds or replaces a profile. The first one becomes the current one. */
  async set(name: string, profile: Profile): Promise<void> {
    const { current, profiles, ...rest } = await this.read();
    const isFirst = Object.keys(profiles).length === 0;
    await this.#write({
      ...rest,
      current: isFirst ? name : current,
      profiles: { ...profiles, [name]: profile },
    });
  }

  /** Makes `name` the current profile. False when there is none of that name. */
  async use(name: string): Promise<boolean> {
    const { profiles, ...rest } = await this.read();
    if (!Object.hasOwn(profiles, name)) return false;
    await this.#write({ ...rest, current: name, profiles });
    return true;
  }

  /** Removes a profile. False when there is none of that name. */
  async remove(name: string): Promise<boolean> {
    const { current, profiles, ...rest } = await this.read();
    if (!Object.hasOwn(profiles, name)) return false;
    const { [name]: _, ...others } = profiles;
    const next = current === name ? (Object.keys(others)[0] ?? DEFAULT_PROFILE) : current;
    await this.#write({ ...rest, current: next, profiles: others });
    return true;
  }

  /** Adds or replaces an alias. */
  async setAlias(name: string, line: string): Promise<void> {
    const file = await this.read();
    await this.#write({ ...file, aliases: { ...file.aliases, [name]: line } });
  }

  /** Removes an alias. False when there is none of that name. */
  async removeAlias(name: string): Promise<boolean> {
    const { aliases = {}, ...file } = await this.read();
    if (!Object.hasOwn(aliases, name)) return false;
    const { [name]: _, ...others } = aliases;
    await this.#write({ ...file, ...(Object.keys(others).length > 0 && { aliases: others }) });
    return true;
  }

  /** Writes through conf, which replaces the file in one step. */
  async #write(file: ProfileFile): Promise<void> {
    const { default: Conf } = await import('conf');
    try {
      makeDirectory(this.directory);
      const conf = new Conf({
        cwd: this.directory,
        configName: FILE_NAME,
        projectName: 'vc',
        configFileMode: 0o600,
        clearInvalidConfig: false,
        accessPropertiesByDotNotation: false,
      });
      conf.store = { ...file };
    } catch (cause) {
      throw new ProfileFileError(`cannot write the profile file ${this.path}: ${reason(cause)}`, {
        cause,
      });
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function reason(error: unknown): string {
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
  const { baseUrl, apiKey, project, listenerUid } = value;
  const areStrings = [project, listenerUid].every(
    (field) => field === undefined || typeof field === 'string',
  );
  return typeof baseUrl === 'string' && typeof apiKey === 'string' && areStrings;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
