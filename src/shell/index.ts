export { generateKeyPair, type KeyPair } from './keys.js';
export { type OpenShellOptions, openShell } from './shell.js';
