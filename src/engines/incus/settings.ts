import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { SETTINGS_DIRECTORY, SETTINGS_FILES } from './settings-files.js';

/** How to reach a cluster, and as whom. */
export interface ClusterSettings {
  /** Base URLs of members, for example `https://10.0.0.1:8443`; any of them serves the cluster. */
  readonly urls: readonly string[];
  /** The project that holds the machines. */
  readonly project: string;
  /** The certificate that all members show, in PEM: no other is trusted. */
  readonly serverCertificate: string;
  /** The service's own certificate and key in PEM; the cluster restricts it to the project. */
  readonly clientCertificate: string;
  readonly clientKey: string;
}

const File = z.object({
  urls: z.array(z.url({ protocol: /^https$/ })).min(1),
  project: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/),
});

/** Where a state directory keeps the settings of its cluster. */
export function settingsDirectory(stateDirectory: string): string {
  return join(stateDirectory, SETTINGS_DIRECTORY);
}

/** Undefined if no cluster has been set up. Throws for files that cannot be read. */
export async function readSettings(stateDirectory: string): Promise<ClusterSettings | undefined> {
  const directory = settingsDirectory(stateDirectory);
  const read = (name: string) => readFile(join(directory, name), 'utf8');
  const text = await read(SETTINGS_FILES.settings).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const parsed = File.safeParse(parseJson(text));
  if (!parsed.success) {
    const path = join(directory, SETTINGS_FILES.settings);
    throw new Error(`${path}: ${z.prettifyError(parsed.error)}`);
  }
  const [serverCertificate, clientCertificate, clientKey] = await Promise.all([
    read(SETTINGS_FILES.serverCertificate),
    read(SETTINGS_FILES.clientCertificate),
    read(SETTINGS_FILES.clientKey),
  ]);
  return { ...parsed.data, serverCertificate, clientCertificate, clientKey };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
