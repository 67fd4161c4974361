import { basename } from 'node:path';
import { makeDirectory } from '../lib/fs/directory.js';
import { profilePath } from './directory.js';
import {
  DEFAULT_PROFILE,
  type Profile,
  type ProfileFile,
  ProfileFileError,
  readProfiles,
  reason,
} from './file.js';

/** 1 to 64 letters, digits, `.`, `_`, `-`, the first a letter or digit. */
export const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Profiles in `<directory>/config.json`, 0600 in a directory 0700. */
export class ProfileStore {
  readonly directory: string;
  readonly path: string;

  constructor(directory: string) {
    this.directory = directory;
    this.path = profilePath(directory);
  }

  /** As {@link readSync}. */
  async read(): Promise<ProfileFile> {
    return this.readSync();
  }

  /** Apart from conf, which takes longer to load than a whole command should. */
  readSync(): ProfileFile {
    return readProfiles(this.path);
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
        configName: basename(this.path, '.json'),
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
