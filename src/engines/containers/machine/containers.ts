import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { assertMachineId } from '../../machine-id.js';
import { LABEL } from '../ids.js';
import { listContainers } from '../requests.js';

/**
 * The containers of a service's machines, found by their labels: those cannot be changed, while
 * `docker rename` changes a name.
 */
export class Containers {
  readonly #docker: Docker;
  readonly #serviceId: string;
  readonly #known = new Map<string, string>();

  constructor(docker: Docker, serviceId: string) {
    this.#docker = docker;
    this.#serviceId = serviceId;
  }

  /** The container's id, asked for once. Throws `not_found`. */
  async id(id: string, signal?: AbortSignal): Promise<string> {
    return this.#known.get(id) ?? (await this.find(id, signal)).Id;
  }

  /** Throws `not_found`. */
  async find(id: string, signal?: AbortSignal): Promise<Docker.ContainerInfo> {
    const [found] = await this.list(id, signal);
    if (found === undefined) throw new ApiError('not_found', 'The computer no longer exists.');
    return found;
  }

  /** All containers of a machine: at most one, unless another was created with its labels. */
  async list(id: string, signal?: AbortSignal): Promise<Docker.ContainerInfo[]> {
    assertMachineId(id);
    const found = await this.#list([`${LABEL.machine}=${id}`], {}, signal);
    const [first] = found;
    if (first === undefined) this.#known.delete(id);
    else this.#known.set(id, first.Id);
    return found;
  }

  /** Whether there is a machine at all, also a stopped one. */
  async any(signal?: AbortSignal): Promise<boolean> {
    return (await this.#list([LABEL.machine], {}, signal)).length > 0;
  }

  async running(
    signal?: AbortSignal,
  ): Promise<{ readonly id: string; readonly container: Docker.ContainerInfo }[]> {
    const found = await this.#list([LABEL.machine], { status: ['running', 'paused'] }, signal);
    return found.map((container) => ({ id: container.Labels[LABEL.machine] ?? '', container }));
  }

  async #list(
    labels: readonly string[],
    filters: Readonly<Record<string, string[]>>,
    signal: AbortSignal | undefined,
  ): Promise<Docker.ContainerInfo[]> {
    const label = [`${LABEL.service}=${this.#serviceId}`, ...labels];
    const found = await listContainers(this.#docker, { ...filters, label }, signal);
    // Empty for a container that is made from the image of a machine, and is none itself.
    return found.filter(({ Labels }) => Labels[LABEL.machine]);
  }
}
