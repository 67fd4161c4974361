import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeDirectory } from '../../lib/fs/directory.js';
import type { Environment } from '../../profile/index.js';
import { CliError } from '../errors/cli-error.js';
import type { Context } from '../framework/context.js';
import { identityPath, sshDirectory } from './options.js';

/**
 * The public key that logs in to computers. The pair is made on first use. Only
 * API keys with the right to run programs reach the SSH server that accepts it.
 */
export async function publicKey(context: Pick<Context, 'env'>): Promise<string> {
  const path = identityPath(sshDirectory(context));
  const found = await readPublicKey(path);
  if (found !== undefined) return found;
  await generate(path, context.env);
  const made = await readPublicKey(path);
  if (made !== undefined) return made;
  throw new CliError(`there is no public key in ${path}.pub`, {
    remedy: `remove ${dirname(path)}, which is made again`,
  });
}

async function readPublicKey(path: string): Promise<string | undefined> {
  const text = await readFile(`${path}.pub`, 'utf8').catch(() => '');
  return /^ssh-ed25519 [A-Za-z0-9+/=]+/.exec(text)?.[0];
}

/** Both files appear at once, also if several commands make them at the same time. */
async function generate(path: string, env: Environment): Promise<void> {
  const directory = dirname(path);
  const temporary = `${directory}-${randomBytes(6).toString('hex')}`;
  makeDirectory(temporary);
  try {
    const args = ['-q', '-t', 'ed25519', '-N', '', '-C', 'vc', '-f', join(temporary, 'id_ed25519')];
    await promisify(execFile)('ssh-keygen', args, { env });
    await rename(temporary, directory);
  } catch (cause) {
    await rm(temporary, { recursive: true, force: true });
    const { code } = cause as NodeJS.ErrnoException;
    // Another command was faster.
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return;
    if (code === 'ENOENT') throw missingSsh('ssh-keygen', cause);
    throw new CliError(`cannot make a key pair in ${directory}`, { cause });
  }
}

/** The error for a program of OpenSSH that is not installed. */
export function missingSsh(program: string, cause: unknown): CliError {
  return new CliError(`there is no program ${program} on this machine`, {
    remedy:
      'install OpenSSH, on Debian: apt-get install openssh-client; or use vc shell and vc cp, which do not need it',
    cause,
  });
}
