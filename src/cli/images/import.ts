import { constants, stat } from 'node:fs/promises';
import { engineNamed } from '../../engines/select.js';
import { canAccess } from '../../lib/fs/access.js';
import { readBounded } from '../../lib/fs/read-bounded.js';
import { stateDirectory } from '../../profile/index.js';
import { CliError, UsageError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import { cannotRead } from '../errors/file-errors.js';
import type { Context } from '../framework/context.js';
import { showSteps } from '../output/steps.js';
import { needUsable, reportImage } from './stored.js';

export interface DiskRequest {
  /** An engine that imports disks. */
  readonly engine: string;
  readonly name: string;
  /** Absolute path of the disk file. */
  readonly disk: string;
  readonly os: 'linux' | 'windows';
  readonly firmware: 'bios' | 'uefi';
  /** How to log in; undefined: there is no SSH server. */
  readonly login: { readonly user: string; readonly keyFile: string } | undefined;
}

/** Largest key file that is read. */
const MOST_KEY = 64 * 1024;

const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** Copies a disk into the images of an engine of this machine and shows the progress. */
export async function importDisk(context: Context, request: DiskRequest): Promise<number> {
  const { name, disk, os, firmware, login } = request;
  const { signal } = context.interrupts;
  if (!NAME.test(name)) {
    const problem = `${JSON.stringify(name)} cannot be an image's name`;
    throw new UsageError(problem, 'use 1 to 32 of a-z, 0-9 and "-", not "-" first');
  }
  const directory = stateDirectory(context.env);
  const { images, open } = engineNamed(request.engine);
  if (images.import === undefined) throw new UsageError(`${request.engine} imports no disks`);
  const engine = await open(directory);
  await needUsable(engine, 'the image cannot be stored', signal);
  if ((await engine.images(signal)).some((image) => image.name === name)) {
    throw new CliError(`there already is an image ${name} for ${engine.name}`, {
      remedy: `choose another name, or: vc image rm ${name} --engine ${engine.name}`,
      exitCode: ExitCode.conflict,
      code: 'name_taken',
    });
  }
  await needDisk(disk);
  const shell = login ? { user: login.user, privateKey: await readKey(login.keyFile) } : null;
  const steps = showSteps(context, `Importing ${disk}`);
  context.whenInterrupted('the import stops; its files are removed');
  try {
    const work = { signal, onProgress: steps.step };
    const image = await images.import(directory, {
      ...work,
      name,
      file: disk,
      os,
      firmware,
      shell,
    });
    const seconds = steps.stop();
    const line = `the image ${name} is ready: ${Math.round(image.bytes / 1e6)} MB, ${seconds} s`;
    await reportImage(context, { ...image, engine: engine.name }, line);
  } finally {
    steps.stop();
  }
  return ExitCode.ok;
}

async function needDisk(disk: string): Promise<void> {
  const stats = await stat(disk).catch(() => undefined);
  if (stats?.isFile()) {
    if (await canAccess(disk, constants.R_OK)) return;
    throw new CliError(`the disk ${disk} cannot be read`, { remedy: 'check its permissions' });
  }
  throw new CliError(`there is no disk file ${disk}`, { remedy: 'check the path' });
}

async function readKey(file: string): Promise<string> {
  const bytes = await readBounded(file, MOST_KEY).catch((cause) => {
    throw cannotRead(file, cause);
  });
  return checkPrivateKey(bytes.toString(), file);
}

/** Throws CliError unless `text`, the content of `file`, is a private key that can be used. */
export async function checkPrivateKey(text: string, file: string): Promise<string> {
  const { utils } = (await import('ssh2')).default;
  const parsed = utils.parseKey(text);
  if (!(parsed instanceof Error) && [parsed].flat()[0]?.isPrivateKey()) return text;
  const reason = parsed instanceof Error ? parsed.message : 'it is a public key';
  throw new CliError(`${file} is not a usable private key: ${reason}`, {
    remedy: 'give a private key without a passphrase; ssh-keygen -p removes it from a copy',
  });
}
