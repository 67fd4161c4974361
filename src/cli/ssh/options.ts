import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../lib/package-root.js';
import { configDirectory } from '../../profile/index.js';
import type { Context } from '../framework/context.js';

/** Ends the host names by which ssh reaches computers: `NAME.vc`, `NAME.PROJECT.vc` or `ID.vc`. */
export const HOST_SUFFIX = '.vc';

/** The user of computers, except of imported disks. */
export const DEFAULT_USER = 'user';

/** Where the key pair and the host keys of computers are kept. */
export function sshDirectory({ env }: Pick<Context, 'env'>): string {
  return join(configDirectory(env), 'ssh');
}

/** The private key that logs in to computers. */
export function identityPath(directory: string): string {
  return join(directory, 'identity', 'id_ed25519');
}

/** The file with the host key of one computer. `host` is the name that ssh was given. */
export function knownHostsPath(directory: string, host: string): string {
  return join(directory, 'hosts', host);
}

/**
 * Options of OpenSSH to reach a host `*.vc`, by keyword; the values are not quoted.
 *
 * The stream comes from {@link proxyCommand}, which writes the computer's host key to the file for
 * this host before ssh reads it. So a key that has changed is no alarm, and a wrong one is refused.
 */
export function sshOptions(context: Context): Readonly<Record<string, string>> {
  const directory = sshDirectory(context);
  const fixed = directory.replaceAll('%', '%%');
  return {
    ProxyCommand: proxyCommand(context),
    IdentityFile: identityPath(fixed),
    IdentitiesOnly: 'yes',
    UserKnownHostsFile: knownHostsPath(fixed, '%n'),
    GlobalKnownHostsFile: '/dev/null',
    StrictHostKeyChecking: 'yes',
    UpdateHostKeys: 'no',
    CheckHostIP: 'no',
    // A guest does not get the user's agent and screen unless this connection asks for it.
    ForwardAgent: 'no',
    ForwardX11: 'no',
  };
}

/** The command that connects ssh with a computer, for a shell. ssh replaces the host and user. */
function proxyCommand({ env, globals }: Context): string {
  const { profile, baseUrl, cacert } = globals;
  const words = [
    // The shell may be started with other variables, for example by an editor.
    ...['env', `VC_CONFIG_DIR=${resolve(configDirectory(env))}`],
    process.execPath,
    fileURLToPath(new URL('bin/vc.js', packageRoot)),
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
    ...(cacert === undefined ? [] : ['--cacert', cacert]),
    'ssh-proxy',
  ];
  return `${words.map(quoted).join(' ')} '%n' '%r'`;
}

/** A value of an option, as ssh reads it. */
export function quotedValue(value: string): string {
  return /^[\w./%-]+$/.test(value) ? value : `"${value}"`;
}

/** For a shell, and with the percent signs that ssh leaves alone. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''").replaceAll('%', '%%')}'`;
}
