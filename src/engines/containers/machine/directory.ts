import { chmod, mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { assertMachineId } from '../../machine-id.js';
import type { HelperRunner } from '../helper.js';

/**
 * The directories on the host that machines create their sockets in, `<parent>/<id>`: used by
 * a service that is not root. Otherwise the sockets are in memory, in the
 * container's own file system, because a directory of the host has no limit of size.
 *
 * Only the service can access the parent. Each directory has mode 0777, because the container's
 * user may have any id on the host (user namespaces). Its content is the guest's: never follow its
 * links or trust its files.
 */
export class SocketDirectories {
  readonly #parent: string;

  constructor(parent: string) {
    this.#parent = parent;
  }

  of(id: string): string {
    assertMachineId(id);
    return join(this.#parent, id);
  }

  /** The directory for a new machine's sockets; `undefined`: in its container. */
  forNew(id: string): string | undefined {
    return process.getuid?.() === 0 ? undefined : this.of(id);
  }

  /** Idempotent. */
  async create(id: string): Promise<void> {
    await mkdir(this.#parent, { recursive: true, mode: 0o700 });
    await chmod(this.#parent, 0o700);
    await mkdir(this.of(id), { recursive: true });
    await chmod(this.of(id), 0o777);
  }

  /**
   * Removes the directory with its content. If the service cannot (files of other users, paths
   * that are too long), a helper container that mounts only this directory does it.
   */
  async remove(id: string, helper: HelperRunner, signal?: AbortSignal): Promise<void> {
    const path = this.of(id);
    try {
      await rm(path, { recursive: true, force: true });
    } catch {
      await helper.run(
        {
          command: ['find', '/directory', '-mindepth', '1', '-delete'],
          capabilities: ['DAC_OVERRIDE', 'FOWNER'],
          network: 'none',
          directory: path,
        },
        signal,
      );
      await rmdir(path);
    }
  }
}
