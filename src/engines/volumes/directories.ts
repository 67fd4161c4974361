import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ApiError } from '../../contract/errors.js';
import { canAccess } from '../../lib/fs/access.js';
import { assertMachineId } from '../machine-id.js';

const execute = promisify(execFile);

/** Where a volume's files are, in its own directory. */
export const FILES = 'files';

/** Volumes that are directories of this host: `<root>/<id>`, with their files in `files`. */
export class VolumeDirectories {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  of(id: string): string {
    assertMachineId(id);
    return join(this.#root, id);
  }

  files(id: string): string {
    return join(this.of(id), FILES);
  }

  /** Idempotent. @param owner user and group of the directory, which programs in a machine see as its user */
  async create(id: string, owner: number): Promise<void> {
    const files = this.files(id);
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    await mkdir(files, { recursive: true });
    // Whatever the umask.
    await chmod(files, 0o755);
    await chown(files, owner, owner);
  }

  /** Follows no link of the guests. Idempotent. */
  async remove(id: string, signal?: AbortSignal): Promise<void> {
    const removed = `${this.of(id)}.removed`;
    await rename(this.of(id), removed).catch(unlessMissing);
    // Unlike rm() of Node.js it removes paths of any depth.
    await runTool('rm', ['-rf', '--one-file-system', '--', removed], signal);
  }

  /** What the files of a volume take on the disk. */
  async bytes(id: string, signal?: AbortSignal): Promise<number> {
    const files = this.files(id);
    const argv = ['-s', '--block-size=1', '--one-file-system', '--', files];
    // Files that are removed meanwhile make it fail.
    const output = await runTool('du', argv, signal).catch(
      (error: { readonly stdout?: string }) => {
        if (error.stdout) return error.stdout;
        throw error;
      },
    );
    return Number.parseInt(output, 10);
  }

  /** Throws `conflict` for a volume whose files are lost, before a machine that mounts it starts. */
  async check(id: string): Promise<void> {
    if (await canAccess(this.files(id))) return;
    const message = `The files of the volume ${id} are missing in the state directory of the service.`;
    throw new ApiError('conflict', message, {
      remedy: 'Restore them, or remove the computer: vc rm COMPUTER',
    });
  }
}

/** Runs a program. Messages are in English, since they are looked at. */
export async function runTool(program: string, argv: readonly string[], signal?: AbortSignal) {
  const env = { ...process.env, LC_ALL: 'C' };
  const { stdout } = await execute(program, argv, { signal, killSignal: 'SIGKILL', env });
  return stdout;
}

export function unlessMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
