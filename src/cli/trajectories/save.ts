import {
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  rmdir,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { computerParameters } from '../../client/http/address.js';
import { TRAJECTORY_TYPE } from '../../contract/constants.js';
import { readTar, TarError } from '../../lib/tar/read.js';
import { CliError, UsageError } from '../errors/cli-error.js';
import { cannotWrite } from '../errors/file-errors.js';
import type { Context } from '../framework/context.js';
import { computerAddress } from '../targets/computer-address.js';
import { writePage } from './page.js';
import { LINES, PICTURE_NAME } from './read.js';

/** Throws unless the directory is missing or empty. */
export async function checkNewDirectory(context: Context, directory: string): Promise<void> {
  const names = await readdir(resolve(context.cwd, directory)).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return [];
    throw cannotWrite(directory, error);
  });
  if (names.length === 0) return;
  throw new UsageError(`${directory} is not empty`, 'name a directory that does not exist yet');
}

/** Downloads the recorded actions of a computer into a new directory, which appears complete. */
export async function saveTrajectory(
  context: Context,
  computer: string,
  directory: string,
): Promise<void> {
  await checkNewDirectory(context, directory);
  const client = await context.client();
  const params = computerParameters(await computerAddress(context, computer));
  const { signal } = context.interrupts;
  const archive = await client.requestStream('getTrajectory', TRAJECTORY_TYPE, { params, signal });
  const target = resolve(context.cwd, directory);
  const unwritable = (cause: unknown) => {
    throw cannotWrite(directory, cause);
  };
  await mkdir(dirname(target), { recursive: true }).catch(unwritable);
  const part = await mkdtemp(join(dirname(target), `.${basename(target)}-`)).catch(unwritable);
  try {
    await mkdir(join(part, 'pictures'));
    await unpack(archive, part).catch((error: unknown) => {
      if (error instanceof CliError) throw error;
      if (error instanceof TarError) {
        throw new CliError(`the trajectory did not arrive whole: ${error.message}`, {
          remedy: 'try again',
        });
      }
      return isOfFiles(error) ? unwritable(error) : Promise.reject(error);
    });
    await writePage(part);
    await rmdir(target).catch(() => undefined);
    await rename(part, target).catch(unwritable);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

async function unpack(archive: AsyncIterable<Uint8Array>, directory: string): Promise<void> {
  let file: FileHandle | undefined;
  try {
    await readTar(archive, {
      begin: async ({ name }) => {
        if (name !== LINES && !PICTURE_NAME.test(name)) {
          throw new TarError(`it has a file ${JSON.stringify(name)}`);
        }
        file = await open(join(directory, name), 'wx');
      },
      write: async (bytes) => void (await file?.writeFile(bytes)),
      end: async () => {
        await file?.close();
        file = undefined;
      },
    });
  } finally {
    await file?.close();
  }
}

function isOfFiles(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'path' in error;
}
