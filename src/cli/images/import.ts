import { access, constants, readFile, stat } from 'node:fs/promises';
import type { Context } from '../context.js';
import { CliError, UsageError } from '../errors.js';
import { ExitCode } from '../exit-codes.js';
import { localEngine } from '../local-engines.js';
import { showSteps } from '../steps.js';
import { here, needUsable, toldOf } from './stored.js';

export interface DiskRequest {
  readonly name: string;
  /** Absolute path of the disk file. */
  readonly disk: string;
  readonly os: 'linux' | 'windows';
  readonly firmware: 'bios' | 'uefi';
  /** How commands get in; undefined where there is no SSH server. */
  readonly login: { readonly user: string; readonly keyFile: string } | undefined;
}

/** What an image may be called. */
const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** Copies a disk into this machine's images, saying what goes on. */
export async function importDisk(context: Context, request: DiskRequest): Promise<number> {
  const { name, disk, os, firmware, login } = request;
  const { signal } = context.interrupts;
  if (!NAME.test(name)) {
    const problem = `${JSON.stringify(name)} cannot be an image's name`;
    throw new UsageError(problem, 'take 1 to 32 of a-z, 0-9 and "-", not "-" first');
  }
  const engine = await localEngine('qemu', here(context));
  await needUsable(engine, 'the image has no place to go', signal);
  if ((await engine.images(signal)).some((image) => image.name === name)) {
    throw new CliError(`there is an image ${name} for qemu already`, {
      hint: `choose another name, or: vc image rm ${name} --engine qemu`,
      exitCode: ExitCode.conflict,
      code: 'name_taken',
    });
  }
  await needDisk(disk);
  const shell = login ? { user: login.user, privateKey: await readKey(login.keyFile) } : null;
  const { qemuStore } = await import('./qemu-store.js');
  const steps = showSteps(context, `Importing ${disk}`);
  context.whenInterrupted('nothing goes on; what was copied so far is removed');
  try {
    const image = await qemuStore(here(context)).import(
      { name, file: disk, os, firmware, shell },
      { signal, onProgress: steps.step },
    );
    const seconds = steps.stop();
    const line = `the image ${name} is ready: ${Math.round(image.bytes / 1e6)} MB, ${seconds} s`;
    await toldOf(context, { ...image, engine: 'qemu' }, line);
  } finally {
    steps.stop();
  }
  return ExitCode.ok;
}

async function needDisk(disk: string): Promise<void> {
  const stats = await stat(disk).catch(() => undefined);
  if (stats?.isFile()) {
    const isReadable = await access(disk, constants.R_OK).then(
      () => true,
      () => false,
    );
    if (isReadable) return;
    throw new CliError(`the disk ${disk} cannot be read`, { hint: 'check its permissions' });
  }
  throw new CliError(`there is no disk file ${disk}`, { hint: 'check the path' });
}

async function readKey(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new CliError(`the key ${file} cannot be read`, { hint: 'check the path', cause });
  });
  const { utils } = (await import('ssh2')).default;
  const parsed = utils.parseKey(text);
  if (!(parsed instanceof Error) && [parsed].flat()[0]?.isPrivateKey()) return text;
  const reason = parsed instanceof Error ? parsed.message : 'it is a public key';
  throw new CliError(`${file} is no private key that can be used: ${reason}`, {
    hint: 'give a private key without a passphrase; ssh-keygen -p takes one off a copy',
  });
}
