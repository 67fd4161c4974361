export { configDirectory, type Environment, stateDirectory } from './directory.js';
export { DEFAULT_PROFILE, type Profile, type ProfileFile, ProfileFileError } from './file.js';
export { type FirstKeyResult, writeDefaultProfile } from './first-start.js';
export {
  CertificateFileError,
  type Flags,
  givenAuthority,
  readAuthority,
  resolveSettings,
  type Setting,
  type Settings,
  type Source,
  sameBaseUrl,
  settingsOf,
  UnknownProfileError,
} from './resolve.js';
export { recordedSocket, serviceSocket } from './service-socket.js';
export { PROFILE_NAME, ProfileStore } from './store.js';
