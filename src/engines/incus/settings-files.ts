/** Directory of the cluster's settings in a state directory. */
export const SETTINGS_DIRECTORY = 'incus';

/** Files in the directory of the settings. */
export const SETTINGS_FILES = {
  settings: 'cluster.json',
  serverCertificate: 'server.crt',
  clientCertificate: 'client.crt',
  clientKey: 'client.key',
} as const;
