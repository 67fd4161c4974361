import { chmod, mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HelperRunner } from './helper.js';
import { assertId } from './ids.js';

/**
 * The directories on the host that machines create their sockets in, `<parent>/<id>`.
 *
 * The parent is the service's alone. Inside, a directory is open to everybody, since the user in
 * the container may be any on the host (user namespaces), and only the bind mount leads there.
 * What is in it is the guest's: nothing of it is ever followed or trusted.
 */
export class SocketDirectories {
  readonly #parent: string;

  constructor(parent: string) {
    this.#parent = parent;
  }

  of(id: string): string {
    assertId(id);
    return join(this.#parent, id);
  }

  /** Idempotent. */
  async create(id: string): Promise<void> {
    await mkdir(this.#parent, { recursive: true, mode: 0o700 });
    await chmod(this.#parent, 0o700);
    await mkdir(this.of(id), { recursive: true });
    await chmod(this.of(id), 0o777);
  }

  /**
   * Removes it with all that the guest left there. A service that is not root cannot remove other
   * users' files, and a guest can nest directories deeper than a path is long: then a container
   * with nothing but this directory does it.
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
