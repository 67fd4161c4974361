import { X509Certificate } from 'node:crypto';
import { chmod, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { canAccess } from '../../../lib/fs/access.js';
import { writeFileAtomically } from '../../../lib/fs/atomic-file.js';
import { makeOwnDirectory } from '../../local-host.js';
import { settingsDirectory } from '../settings.js';
import { SETTINGS_FILES } from '../settings-files.js';

/** A client's certificate, which a cluster knows by its fingerprint. */
export interface ClientCertificate {
  /** SHA-256 in lower-case hexadecimal digits. */
  readonly fingerprint: string;
  readonly der: Buffer;
}

export interface NewSettings {
  readonly urls: readonly string[];
  readonly project: string;
  readonly serverCertificate: string;
}

const VALID_DAYS = '3650';

/**
 * Creates the directory of the settings unless it exists; returns its path. Throws `forbidden` if it, or
 * the state directory, is another user's.
 */
export function makeSettingsDirectory(stateDirectory: string): string {
  makeOwnDirectory(stateDirectory);
  const directory = settingsDirectory(stateDirectory);
  makeOwnDirectory(directory);
  return directory;
}

/** Writes the settings of a state directory, with a new certificate unless it has one. */
export async function writeSettings(
  stateDirectory: string,
  { urls, project, serverCertificate }: NewSettings,
  signal?: AbortSignal,
): Promise<ClientCertificate> {
  const directory = makeSettingsDirectory(stateDirectory);
  const path = (name: keyof typeof SETTINGS_FILES) => join(directory, SETTINGS_FILES[name]);
  if (!(await canAccess(path('clientCertificate')))) await makeCertificate(directory, signal);
  const settings = `${JSON.stringify({ urls, project }, undefined, 2)}\n`;
  const mode = { mode: 0o600 };
  await writeFileAtomically(path('serverCertificate'), Buffer.from(serverCertificate), mode);
  // Last: a directory without this file is not set up.
  await writeFileAtomically(path('settings'), Buffer.from(settings), mode);
  const { raw, fingerprint256 } = new X509Certificate(await readFile(path('clientCertificate')));
  return { der: raw, fingerprint: fingerprint256.replaceAll(':', '').toLowerCase() };
}

/** Node.js cannot make certificates. */
async function makeCertificate(directory: string, signal: AbortSignal | undefined): Promise<void> {
  const scratch = await mkdtemp(join(directory, 'new-'));
  try {
    const [key, certificate] = [join(scratch, 'key'), join(scratch, 'certificate')];
    const subject = ['-nodes', '-days', VALID_DAYS, '-subj', '/CN=vc'];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp384r1'];
    await execa(
      'openssl',
      ['req', '-x509', ...curve, ...subject, '-keyout', key, '-out', certificate],
      {
        ...(signal && { cancelSignal: signal }),
      },
    );
    await chmod(key, 0o600);
    await rename(key, join(directory, SETTINGS_FILES.clientKey));
    await rename(certificate, join(directory, SETTINGS_FILES.clientCertificate));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
