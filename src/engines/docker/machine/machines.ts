import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { sleep } from '../../../lib/async/sleep.js';
import type { MachineSpec } from '../../engine.js';
import { ask, askToMake, QUICK_MS, STEP_MS, untyped } from '../client.js';
import { imageMissing, messageOf, statusOf } from '../errors.js';
import type { HelperRunner } from '../helper.js';
import { LABEL, machineName } from '../ids.js';
import type { Firewall } from '../network/firewall.js';
import type { Networks } from '../network/network.js';
import { containerConfig, type Host } from './container-config.js';
import type { Containers } from './containers.js';
import type { SocketDirectories } from './directory.js';

export interface MachinesOptions {
  readonly docker: Docker;
  readonly serviceId: string;
  readonly containers: Containers;
  readonly networks: Networks;
  readonly firewall: Firewall;
  readonly helper: HelperRunner;
  /** `undefined` where the Engine cannot see this host's files. */
  readonly directories: SocketDirectories | undefined;
  readonly allowSudo: boolean;
  /** Disk quota in GiB, if the storage driver supports quotas. */
  readonly diskGib: number;
}

/** Machines: each has a container, a network and a socket directory. Every step is idempotent. */
export class Machines {
  readonly #options: MachinesOptions;
  readonly #docker: Docker;
  #cpus: Promise<number> | undefined;
  /** False once the Engine has refused a disk quota. */
  #hasQuotas = true;

  constructor(options: MachinesOptions) {
    this.#options = options;
    this.#docker = options.docker;
  }

  async create(spec: MachineSpec, signal?: AbortSignal): Promise<void> {
    const { directories, networks } = this.#options;
    await directories?.create(spec.id);
    // A container can name a network that does not exist yet, so all of this runs in parallel.
    await allEnded([
      this.#createContainer(spec, signal),
      networks.create(spec.id, signal),
      this.#applyFirewall(signal),
    ]);
    signal?.throwIfAborted();
  }

  async start(id: string, signal?: AbortSignal): Promise<void> {
    // A machine must not run without the firewall.
    const [found] = await Promise.all([
      this.#options.containers.find(id, signal),
      this.#applyFirewall(signal),
    ]);
    const container = this.#docker.getContainer(found.Id);
    // Somebody disconnected it: Docker would start it without a network.
    if (!isConnected(found, id)) await this.#options.networks.restore(id, found.Id, signal);
    for (let repairs = 0; ; repairs++) {
      try {
        await unlessDone(ask(STEP_MS, signal, (abortSignal) => container.start({ abortSignal })));
        return;
      } catch (error) {
        if (statusOf(error) === undefined || isGone(error) || repairs === 2) throw error;
        await this.#repair(id, found.Id, messageOf(error), signal);
      }
    }
  }

  async stop(id: string, graceMs: number, signal?: AbortSignal): Promise<void> {
    const seconds = Math.ceil(graceMs / 1000);
    for (const { Id } of await this.#options.containers.list(id, signal)) {
      await ask(graceMs + STEP_MS, signal, (abortSignal) =>
        this.#docker.getContainer(Id).stop({ t: seconds, abortSignal }),
      ).catch((error) => {
        if (statusOf(error) !== 304 && !isGone(error)) throw error;
      });
    }
  }

  async remove(id: string, signal?: AbortSignal): Promise<void> {
    await this.#removeContainers(id, signal);
    const { networks, directories, helper } = this.#options;
    await allEnded([networks.remove(id, signal), directories?.remove(id, helper, signal)]);
  }

  /** Disconnects all running machines from their networks. Returns how many. */
  async disconnectAll(signal?: AbortSignal): Promise<number> {
    const running = await this.#options.containers.running(signal);
    const connected = running.filter(({ id, container }) => isConnected(container, id));
    for (const { id, container } of connected) {
      await this.#options.networks.disconnect(id, container.Id, signal);
    }
    return connected.length;
  }

  /** Connects running machines to their networks again. */
  async reconnectAll(signal?: AbortSignal): Promise<void> {
    for (const { id, container } of await this.#options.containers.running(signal)) {
      if (!isConnected(container, id))
        await this.#options.networks.restore(id, container.Id, signal);
    }
  }

  /** The check is shared: it continues when this caller's signal is aborted. */
  #applyFirewall(signal: AbortSignal | undefined): Promise<void> {
    return ask(STEP_MS, signal, () => this.#options.firewall.ensure());
  }

  /** A reboot clears /run; `docker network prune` removes the networks of stopped machines. */
  async #repair(
    id: string,
    container: string,
    message: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    await this.#options.directories?.create(id);
    if (/network/i.test(message)) await this.#options.networks.restore(id, container, signal);
  }

  async #createContainer(spec: MachineSpec, signal: AbortSignal | undefined): Promise<void> {
    const host = await this.#host(spec.id);
    const config = containerConfig(spec, host);
    try {
      await askToMake(signal, (abortSignal) =>
        this.#docker.createContainer({ ...config, abortSignal }),
      );
    } catch (error) {
      if (host.diskGib !== undefined && /storage-opt|storage opt|quota/i.test(messageOf(error))) {
        this.#hasQuotas = false;
        await this.#createContainer(spec, signal);
      } else if (statusOf(error) === 409) await this.#assertOurs(spec.id, signal);
      else if (statusOf(error) === 404) throw imageMissing(spec.image, error);
      else throw error;
    }
  }

  async #host(id: string): Promise<Host> {
    const { serviceId, allowSudo, directories, diskGib } = this.#options;
    this.#cpus ??= ask(QUICK_MS, undefined, (abortSignal) =>
      untyped(this.#docker).info({ abortSignal }),
    ).then(({ NCPU }) => NCPU);
    const cpus = await this.#cpus.catch((error) => {
      this.#cpus = undefined;
      throw error;
    });
    return {
      serviceId,
      cpus,
      allowSudo,
      socketDirectory: directories?.of(id),
      diskGib: this.#hasQuotas ? diskGib : undefined,
    };
  }

  /** Throws unless the existing container is ours, from an earlier call that was interrupted. */
  async #assertOurs(id: string, signal: AbortSignal | undefined): Promise<void> {
    const { Config } = await ask(QUICK_MS, signal, (abortSignal) =>
      this.#docker.getContainer(machineName(id)).inspect({ abortSignal }),
    );
    if (Config.Labels[LABEL.service] === this.#options.serviceId) return;
    const message = `The Docker container ${machineName(id)} does not belong to this service.`;
    const remedy = `docker rm --force ${machineName(id)}`;
    throw new ApiError('internal', message, { remedy });
  }

  /** Until the Engine lists none: another client may be removing it, or may have renamed it. */
  async #removeContainers(id: string, signal: AbortSignal | undefined): Promise<void> {
    const { containers } = this.#options;
    for (const end = performance.now() + STEP_MS; ; await sleep(100, signal)) {
      const left = await containers.list(id, signal);
      if (left.length === 0) return;
      for (const { Id } of left) {
        await ask(STEP_MS, signal, (abortSignal) =>
          this.#docker.getContainer(Id).remove({ force: true, v: true, abortSignal }),
        ).catch((error) => {
          const isBeingRemoved = statusOf(error) === 409 && performance.now() < end;
          if (!isGone(error) && !isBeingRemoved) throw error;
        });
      }
      if (performance.now() > end) throw notRemoved();
    }
  }
}

/** Waits for all steps, then throws the first failure. */
async function allEnded(steps: readonly (Promise<void> | undefined)[]): Promise<void> {
  const failed = (await Promise.allSettled(steps)).find((step) => step.status === 'rejected');
  if (failed) throw failed.reason;
}

function isConnected({ NetworkSettings }: Docker.ContainerInfo, id: string): boolean {
  return machineName(id) in NetworkSettings.Networks;
}

function notRemoved(): ApiError {
  return new ApiError('internal', 'The Docker Engine does not remove the container.', {
    remedy: 'sudo systemctl restart docker',
  });
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_found';
}

/** Ignores status 304: the container is already in the wanted state. */
async function unlessDone(step: Promise<unknown>): Promise<void> {
  await step.catch((error) => {
    if (statusOf(error) !== 304) throw error;
  });
}
