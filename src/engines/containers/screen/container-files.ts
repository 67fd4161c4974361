import { constants } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { ApiError } from '../../../contract/errors.js';
import { O_PATH } from '../../socket-file.js';

/** A process on this host that runs in a container. */
export interface ContainerProcess {
  readonly pid: number;
  /** The container's id. */
  readonly container: string;
}

const { O_DIRECTORY, O_NOFOLLOW } = constants;

/**
 * Opens a directory in a container through one of its processes. Follows no links: the guest's would
 * lead to a directory of the host. The caller uses it as `/proc/self/fd/…` and closes it.
 *
 * Returns `undefined` if the process does not exist or is another one meanwhile, and where this
 * process may not look into it: it is not root, or the Engine's processes are not visible here.
 */
export async function openInContainer(
  { pid, container }: ContainerProcess,
  path: readonly string[],
): Promise<FileHandle | undefined> {
  let directory = await openProcess({ pid, container });
  for (const name of ['root', ...path]) {
    const parent = directory;
    if (parent === undefined) return undefined;
    try {
      directory =
        name === 'root'
          ? await openDirectory(within(parent, name)).catch(unlessOutOfReach)
          : await openDirectory(within(parent, name), O_NOFOLLOW).catch(notADirectory);
    } finally {
      await parent.close();
    }
  }
  return directory;
}

/** Opens the directory of a container's process in /proc; the same conditions hold. */
export async function openProcess({
  pid,
  container,
}: ContainerProcess): Promise<FileHandle | undefined> {
  const directory = await openDirectory(`/proc/${pid}`).catch(unlessOutOfReach);
  // This is the process's own directory now, even if its id is reused.
  if (directory === undefined || (await isIn(directory, container))) return directory;
  await directory.close();
  return undefined;
}

/** The path of a file in an open directory. */
export function within(directory: FileHandle, name: string): string {
  return `/proc/self/fd/${directory.fd}/${name}`;
}

function openDirectory(path: string, flags = 0): Promise<FileHandle> {
  return open(path, O_PATH | O_DIRECTORY | flags);
}

/** Docker names a container's control groups after its id. */
async function isIn(directory: FileHandle, container: string): Promise<boolean> {
  const groups = await readFile(within(directory, 'cgroup'), 'utf8').catch(unlessOutOfReach);
  return groups?.includes(container) ?? false;
}

function unlessOutOfReach(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(error.code ?? '')) throw error;
}

function notADirectory(cause: NodeJS.ErrnoException): never {
  throw new ApiError('guest_failed', "The computer's directory for sockets is not there.", {
    cause,
  });
}
