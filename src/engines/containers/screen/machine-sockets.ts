import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { notRunning } from '../../not-running.js';
import type { Containers } from '../machine/containers.js';
import type { SocketDirectories } from '../machine/directory.js';
import { machineState } from '../machine/status.js';
import { inspectContainer } from '../requests.js';
import { type ContainerProcess, openInContainer, within } from './container-files.js';
import { dialSocket, NotListening, SOCKET_DIRECTORY } from './socket.js';

/** How a machine's sockets are reached; the fastest that is possible. */
type Way =
  /** In the container's own file system, through its main process. */
  | ({ readonly by: 'process' } & ContainerProcess)
  /** In a directory of this host that is mounted in the container. */
  | { readonly by: 'directory' }
  /** Only through a program in the container. */
  | { readonly by: 'program' };

export interface MachineSocketsOptions {
  readonly docker: Docker;
  readonly containers: Containers;
  /** `undefined` where the Engine cannot see this host's files. */
  readonly directories: SocketDirectories | undefined;
}

/** Connects to the unix sockets in the `/run/vc` of machines. Guests can write there. */
export class MachineSockets {
  readonly #options: MachineSocketsOptions;
  /** What worked last, by machine. */
  readonly #ways = new Map<string, Way>();

  constructor(options: MachineSocketsOptions) {
    this.#options = options;
  }

  /**
   * Connects to a socket; `undefined` where only a program in the container can. Throws
   * `not_running`, or {@link NotListening}: the next call looks for the machine again.
   */
  async dial(id: string, name: string, signal?: AbortSignal): Promise<Duplex | undefined> {
    const container = await this.#options.containers.id(id, signal);
    const way = this.#ways.get(id) ?? (await this.#find(id, container, signal));
    this.#ways.set(id, way);
    try {
      return await this.#open(way, id, name, signal);
    } catch (error) {
      if (error instanceof NotListening) this.#ways.delete(id);
      throw error;
    }
  }

  forget(id: string): void {
    this.#ways.delete(id);
  }

  /** Throws `not_running`. */
  async #find(id: string, container: string, signal: AbortSignal | undefined): Promise<Way> {
    const { docker, directories } = this.#options;
    const { State, Mounts } = await inspectContainer(docker, container, signal);
    if (machineState(id, State).status !== 'running') throw notRunning();
    if (directories === undefined) return { by: 'program' };
    const main = { pid: State.Pid, container };
    const root = await openInContainer(main, []);
    await root?.close();
    if (root !== undefined) return { by: 'process', ...main };
    const mounted = Mounts.find(
      ({ Destination }) => Destination === `/${SOCKET_DIRECTORY.join('/')}`,
    );
    // It is another one for a machine of a service whose state was restored from another directory.
    return { by: mounted?.Source === directories.of(id) ? 'directory' : 'program' };
  }

  async #open(
    way: Way,
    id: string,
    name: string,
    signal: AbortSignal | undefined,
  ): Promise<Duplex | undefined> {
    const { directories } = this.#options;
    if (way.by === 'directory' && directories) return dialSocket(directories.of(id), name, signal);
    if (way.by !== 'process') return undefined;
    const directory = await openInContainer(way, SOCKET_DIRECTORY);
    if (directory === undefined) throw new NotListening('the container was started again');
    try {
      return await dialSocket(within(directory, ''), name, signal);
    } finally {
      await directory.close();
    }
  }
}
