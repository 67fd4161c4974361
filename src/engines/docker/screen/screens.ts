import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { sleep } from '../../../lib/async/sleep.js';
import { notRunning } from '../../not-running.js';
import { ask, QUICK_MS } from '../client.js';
import type { Containers } from '../machine/containers.js';
import type { SocketDirectories } from '../machine/directory.js';
import { machineState } from '../machine/status.js';
import { type ContainerProcess, openInContainer, within } from './container-files.js';
import { relayScreen } from './relay.js';
import { dialScreen, NotListening, SOCKET_DIRECTORY } from './socket.js';

/** How a screen's socket is reached; the fastest that is possible. */
type Way =
  /** In the container's own file system, through its main process. */
  | ({ readonly by: 'process' } & ContainerProcess)
  /** In a directory of this host that is mounted in the container. */
  | { readonly by: 'directory' }
  /** Through a program in the container. */
  | { readonly by: 'relay' };

/** Time to wait for a screen that does not listen yet. */
const LISTENING_MS = 10_000;
const ATTEMPT_EVERY_MS = 15;

export interface ScreensOptions {
  readonly docker: Docker;
  readonly containers: Containers;
  /** `undefined` where the Engine cannot see this host's files. */
  readonly directories: SocketDirectories | undefined;
}

/** Connects to the screens of machines. */
export class Screens {
  readonly #options: ScreensOptions;
  /** What worked last, by machine. */
  readonly #ways = new Map<string, Way>();

  constructor(options: ScreensOptions) {
    this.#options = options;
  }

  /** Waits for a screen that does not listen yet. */
  async dial(id: string, signal?: AbortSignal): Promise<Duplex> {
    const container = await this.#options.containers.id(id, signal);
    let way = this.#ways.get(id) ?? (await this.#find(id, container, signal));
    for (const end = performance.now() + LISTENING_MS; ; ) {
      try {
        const screen = await this.#open(way, id, container, signal);
        this.#ways.set(id, way);
        return screen;
      } catch (error) {
        if (!(error instanceof NotListening)) throw error;
        way = await this.#find(id, container, signal);
        if (performance.now() > end) {
          const message = "The computer's screen does not listen.";
          throw new ApiError('guest_timeout', message, { cause: error });
        }
      }
      await sleep(ATTEMPT_EVERY_MS, signal);
    }
  }

  forget(id: string): void {
    this.#ways.delete(id);
  }

  /** Throws `not_running`. */
  async #find(id: string, container: string, signal: AbortSignal | undefined): Promise<Way> {
    const { docker, directories } = this.#options;
    const { State, Mounts } = await ask(QUICK_MS, signal, (abortSignal) =>
      docker.getContainer(container).inspect({ abortSignal }),
    );
    if (machineState(id, State).status !== 'running') throw notRunning();
    if (directories === undefined) return { by: 'relay' };
    const main = { pid: State.Pid, container };
    const root = await openInContainer(main, []);
    await root?.close();
    if (root !== undefined) return { by: 'process', ...main };
    const mounted = Mounts.find(
      ({ Destination }) => Destination === `/${SOCKET_DIRECTORY.join('/')}`,
    );
    // It is another one for a machine of a service whose state was restored from another directory.
    return { by: mounted?.Source === directories.of(id) ? 'directory' : 'relay' };
  }

  async #open(
    way: Way,
    id: string,
    container: string,
    signal: AbortSignal | undefined,
  ): Promise<Duplex> {
    const { docker, directories } = this.#options;
    if (way.by === 'directory' && directories) return dialScreen(directories.of(id), signal);
    if (way.by !== 'process') return relayScreen(docker, container, signal);
    const directory = await openInContainer(way, SOCKET_DIRECTORY);
    if (directory === undefined) throw new NotListening('the container was started again');
    try {
      return await dialScreen(within(directory, ''), signal);
    } finally {
      await directory.close();
    }
  }
}
