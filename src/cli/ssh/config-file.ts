import { chmod, readFile, realpath, rm, stat } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { writeFileAtomically } from '../../lib/fs/atomic-file.js';
import { makeDirectory } from '../../lib/fs/directory.js';
import type { Context } from '../framework/context.js';
import { DEFAULT_USER, HOST_SUFFIX, quotedValue, sshOptions } from './options.js';

/** The files that ssh reads. */
export interface SshFiles {
  readonly ours: string;
  /** The user's own. */
  readonly config: string;
}

export function sshFiles({ env }: Pick<Context, 'env'>): SshFiles {
  const directory = join(env.HOME || homedir(), '.ssh');
  return { ours: join(directory, 'vc_config'), config: join(directory, 'config') };
}

/** The user's own file that ssh reads, if it is another one: ssh takes no notice of HOME. */
export function otherConfig({ config }: SshFiles): string | undefined {
  const read = join(userInfo().homedir, '.ssh', 'config');
  return resolve(config) === read ? undefined : read;
}

/** The block for the hosts of all computers. */
export function sshConfig(context: Context): string {
  const { ProxyCommand, ...others } = sshOptions(context);
  return [
    '# Written by `vc ssh-config`, which replaces this file. To remove it: vc ssh-config --remove',
    // A quote in a name would end the one around it in the shell that runs the ProxyCommand.
    `Match originalhost "*${HOST_SUFFIX},!*'*" user "*,!*'*"`,
    `  User ${DEFAULT_USER}`,
    // The rest of the line, without quotes around it.
    `  ProxyCommand ${ProxyCommand}`,
    ...Object.entries(others).map(([name, value]) => `  ${name} ${quotedValue(value)}`),
    '',
  ].join('\n');
}

/** Writes our file and includes it in the user's. True if the user's was changed. */
export async function installSshConfig(files: SshFiles, text: string): Promise<boolean> {
  makeDirectory(join(files.ours, '..'));
  await writeFileAtomically(files.ours, Buffer.from(text), { mode: 0o600 });
  const before = await readConfig(files.config);
  const include = includeOf(files);
  if (before.split('\n').includes(include)) return false;
  // At the top: behind a `Host` it would belong to it.
  await replaceConfig(files.config, `${include}\n${before === '' ? '' : '\n'}${before}`);
  return true;
}

/** Undoes {@link installSshConfig}. False if there was nothing to remove. */
export async function removeSshConfig(files: SshFiles): Promise<boolean> {
  const had = await stat(files.ours).then(
    () => true,
    () => false,
  );
  const before = await readConfig(files.config);
  const lines = before.split('\n');
  const at = lines.indexOf(includeOf(files));
  if (at >= 0) {
    // With the empty line that was written below it.
    lines.splice(at, lines[at + 1] === '' && at + 2 < lines.length ? 2 : 1);
    const after = lines.join('\n');
    if (after === '') await rm(await realpath(files.config));
    else await replaceConfig(files.config, after);
  }
  await rm(files.ours, { force: true });
  return had || at >= 0;
}

function includeOf({ ours }: SshFiles): string {
  return `Include ${quotedValue(ours)}`;
}

async function readConfig(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}

/** Keeps the mode of the file, and a link to it. */
async function replaceConfig(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const mode = (await stat(target).catch(() => undefined))?.mode ?? 0o600;
  await writeFileAtomically(target, Buffer.from(text), { mode: 0o600 });
  await chmod(target, mode & 0o777);
}
