export { configDirectory, type Environment, stateDirectory } from './directory.js';
export { type FirstKeyResult, writeDefaultProfile } from './first-start.js';
export {
  type Flags,
  resolveSettings,
  type Setting,
  type Settings,
  type Source,
  sameBaseUrl,
  settingsOf,
  UnknownProfileError,
} from './resolve.js';
export {
  DEFAULT_PROFILE,
  PROFILE_NAME,
  type Profile,
  type ProfileFile,
  ProfileFileError,
  ProfileStore,
} from './store.js';
