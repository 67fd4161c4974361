import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { abortable } from '../../../lib/async/abort.js';
import { ConcurrencyLimit } from '../../../lib/async/concurrency-limit.js';
import { resolvesWithin } from '../../../lib/async/deadline.js';
import { sleep } from '../../../lib/async/sleep.js';
import { hidePaths } from '../../../lib/text/hide-paths.js';
import type { MachineSize, MachineSpec } from '../../engine.js';
import { ask, QUICK_MS, STEP_MS } from '../client.js';
import { dialectOf, type EngineFacts } from '../dialect.js';
import { messageOf, statusOf } from '../errors.js';
import type { HelperRunner } from '../helper.js';
import { imageTag, LABEL, machineName } from '../ids.js';
import type { Firewall } from '../network/firewall.js';
import type { Networks } from '../network/network.js';
import { inspectContainer, isBeingRemoved } from '../requests.js';
import { idsOfNamespace, idsOfUser } from '../volumes/volumes.js';
import { GIB } from './container-config.js';
import type { Containers } from './containers.js';
import {
  type Base,
  baseOf,
  ContainerCreation,
  type ContainerOptions,
  type CreationOptions,
} from './create-container.js';
import type { HostNames } from './host-names.js';

/**
 * Most containers that the Engine is asked to remove at a time. Of 150, it did not see some end within
 * its ten seconds, and refused to remove them.
 */
const MOST_REMOVALS = 16;

/**
 * A removal that takes longer no longer counts as one of them, so that containers that do not end
 * do not keep others waiting. The Engine itself waits ten seconds for the end of one.
 */
const LONGEST_TURN_MS = 10_000;

export interface MachinesOptions extends ContainerOptions {
  readonly containers: Containers;
  readonly networks: Networks;
  readonly firewall: Firewall;
  readonly helper: HelperRunner;
  readonly hostNames: HostNames;
}

/** Machines: each has a container, a network and a socket directory. Every step is idempotent. */
export class ContainerMachines {
  readonly #options: MachinesOptions;
  readonly #docker: Docker;
  readonly #creation: ContainerCreation;
  /** Of machines that were resized. */
  readonly #sizes = new Map<string, MachineSize>();
  readonly #removals = new ConcurrencyLimit(MOST_REMOVALS);

  constructor(options: MachinesOptions) {
    this.#options = options;
    this.#docker = options.docker;
    this.#creation = new ContainerCreation(options);
  }

  facts(): Promise<EngineFacts> {
    return this.#creation.facts();
  }

  async create(
    spec: MachineSpec,
    signal?: AbortSignal,
    options: CreationOptions = {},
  ): Promise<void> {
    const { directories, networks } = this.#options;
    if (directories?.forNew(spec.id)) await directories.create(spec.id);
    const network = networks.create(spec.id, signal);
    const { needsNetworkFirst } = dialectOf(this.#docker);
    const container = () => this.#creation.create(spec, options, signal);
    await allEnded([
      // Docker takes long to make a network, and lets a container name one that does not exist yet.
      needsNetworkFirst ? network.then(container) : container(),
      network,
      this.#applyFirewall(spec.id, signal),
    ]);
    signal?.throwIfAborted();
  }

  async start(id: string, signal?: AbortSignal): Promise<void> {
    const { containers, hostNames } = this.#options;
    const finding = containers.find(id, signal).then(async (found) => {
      // A machine of the warm pool was made with another name.
      if (found.State === 'paused') await hostNames.apply(id, found.Id, signal);
      return found;
    });
    // A machine must not run without the firewall.
    const [found] = await Promise.all([finding, this.#applyFirewall(id, signal)]);
    const container = this.#docker.getContainer(found.Id);
    // It was disconnected outside the service, and Docker would start it without a network.
    if (!isConnected(found, id)) await this.#options.networks.restore(id, found.Id, signal);
    if (found.State === 'paused') await this.#resume(container, signal);
    else {
      const { volumes } = this.#options;
      if (found.State !== 'running') {
        await volumes.prepare(id, () => this.#idsOf(found, signal), signal);
      }
      await this.#start(id, found, signal).catch((error) => {
        throw volumes.explain(error);
      });
    }
    await this.#options.firewall.ensureThrottle(id);
    const size = this.#sizes.get(id);
    if (size) await this.#setLimits(found.Id, size, signal);
  }

  /** Which ids on the host the users of a container have. */
  async #idsOf({ Id, Labels }: Docker.ContainerInfo, signal: AbortSignal | undefined) {
    const { firstHostId } = dialectOf(this.#docker);
    if (firstHostId === undefined) return idsOfUser(Number(Labels[LABEL.uid]));
    const first = await ask(this.#docker, QUICK_MS, signal, (abortSignal) =>
      firstHostId(this.#docker, Id, abortSignal),
    );
    return idsOfNamespace(first);
  }

  /** Podman changes no stopped container, so that one gets its new limits when it has started. */
  async resize(id: string, size: MachineSize, signal?: AbortSignal): Promise<'now' | 'next start'> {
    const { Id, State } = await this.#options.containers.find(id, signal);
    this.#sizes.set(id, size);
    if (State !== 'running') return 'next start';
    await this.#setLimits(Id, size, signal);
    return 'now';
  }

  async #setLimits(
    container: string,
    { cpu, ram }: MachineSize,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const docker = this.#docker;
    const { cpus } = await this.#creation.facts();
    const limits = { cpus: Math.min(cpu, cpus), memory: ram * GIB };
    await ask(docker, STEP_MS, signal, (abortSignal) =>
      dialectOf(docker).setLimits(docker, container, limits, abortSignal),
    );
  }

  async #resume(container: Docker.Container, signal: AbortSignal | undefined): Promise<void> {
    await ask(this.#docker, STEP_MS, signal, (abortSignal) =>
      container.unpause({ abortSignal }),
    ).catch((error) => {
      // Another client resumed it.
      if (!/is not paused/i.test(messageOf(error))) throw error;
    });
  }

  async #start(
    id: string,
    found: Docker.ContainerInfo,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const container = this.#docker.getContainer(found.Id);
    for (let repairs = 0; ; repairs++) {
      try {
        await unlessDone(
          ask(this.#docker, STEP_MS, signal, (abortSignal) => container.start({ abortSignal })),
        );
        await Promise.all([
          this.#options.hostNames.apply(id, found.Id, signal),
          this.#started(found.Id, signal),
        ]);
        return;
      } catch (error) {
        if (statusOf(error) === undefined || isGone(error) || repairs === 2) throw error;
        await this.#repair(id, found, messageOf(error), signal);
      }
    }
  }

  async #started(container: string, signal: AbortSignal | undefined): Promise<void> {
    const { started } = dialectOf(this.#docker);
    if (started === undefined) return;
    const { State } = await inspectContainer(this.#docker, container, signal);
    if (!State.Running) return;
    await ask(this.#docker, QUICK_MS, signal, (abortSignal) => started(State.Pid, abortSignal));
  }

  async stop(id: string, graceMs: number, signal?: AbortSignal): Promise<void> {
    const seconds = Math.ceil(graceMs / 1000);
    for (const { Id } of await this.#options.containers.list(id, signal)) {
      await ask(this.#docker, graceMs + STEP_MS, signal, (abortSignal) =>
        this.#docker.getContainer(Id).stop({ t: seconds, abortSignal }),
      ).catch((error) => {
        if (statusOf(error) !== 304 && !isGone(error)) throw error;
      });
    }
  }

  async remove(id: string, signal?: AbortSignal): Promise<void> {
    await this.#removeContainers(id, signal);
    this.#sizes.delete(id);
    const { networks, directories, disks, helper, volumes } = this.#options;
    await allEnded([
      networks.remove(id, signal),
      directories?.remove(id, helper, signal),
      disks.forget(id, signal),
      volumes.release(id),
    ]);
  }

  /**
   * Makes the machine's container again, from `spec.from` or the image that it was first made from; its
   * network stays. An interrupted reset has kept that image, and perhaps removed the container.
   */
  async reset(spec: MachineSpec, signal?: AbortSignal): Promise<void> {
    const { containers, disks } = this.#options;
    const [present] = await containers.list(spec.id, signal);
    if (present) {
      const { Image } = await inspectContainer(this.#docker, present.Id, signal);
      await disks.keepOrigin(spec.id, Image, signal);
    }
    const user = Number(present?.Labels[LABEL.uid]) || undefined;
    const base = await this.#baseOfReset(spec, user, signal);
    await this.#removeContainers(spec.id, signal);
    await this.create(spec, signal, { base });
  }

  async #baseOfReset(
    { id, ownerId, from, image }: MachineSpec,
    user: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Base> {
    if (from) return this.#creation.baseOfSaved({ id, ownerId, from }, user, signal);
    const found = await this.#options.disks.origin(id, signal);
    return found ? baseOf(found, user) : { image: imageTag(image), uid: user, isOwned: false };
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
  #applyFirewall(id: string, signal: AbortSignal | undefined): Promise<void> {
    return ask(this.#docker, STEP_MS, signal, () => this.#options.firewall.ensure(id));
  }

  /** A reboot clears /run; `docker network prune` removes the networks of stopped machines. */
  async #repair(
    id: string,
    { Id, Mounts }: Docker.ContainerInfo,
    message: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (Mounts.some(({ Type }) => Type === 'bind')) await this.#options.directories?.create(id);
    if (/network/i.test(message)) await this.#options.networks.restore(id, Id, signal);
  }

  /** Until the Engine lists none: another client may be removing it, or may have renamed it. */
  async #removeContainers(id: string, signal: AbortSignal | undefined): Promise<void> {
    const { containers } = this.#options;
    let failure: unknown;
    let end = performance.now() + STEP_MS;
    const asked = new Set<string>();
    for (; ; await sleep(100, signal)) {
      const left = await containers.list(id, signal);
      if (left.length === 0) return;
      if (performance.now() > end) throw notRemoved(this.#docker, failure);
      for (const { Id } of left) {
        const askedAt = performance.now();
        // A container that does not end is asked for often; others wait for their first turn.
        const turn = asked.has(Id) ? 'last' : 'in order';
        const place = this.#removals.acquire(turn);
        const endTurn = await abortable(place, signal, { onLate: (end) => end() });
        asked.add(Id);
        // Removals of others may take minutes; they do not count.
        end += performance.now() - askedAt;
        failure = await this.#removeContainer(Id, endTurn, signal).catch((error) => {
          // Each is worth another attempt.
          if (isGone(error) || isSlow(error) || isBeingRemoved(this.#docker, error)) return error;
          throw error;
        });
      }
    }
  }

  async #removeContainer(
    container: string,
    endTurn: () => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const removal = ask(this.#docker, STEP_MS, signal, (abortSignal) =>
      this.#docker.getContainer(container).remove({ force: true, v: true, abortSignal }),
    );
    resolvesWithin(removal, LONGEST_TURN_MS)
      .catch(() => {})
      .finally(endTurn);
    await removal;
  }
}

/** Waits for all steps, then throws the first failure. */
async function allEnded(steps: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const failed = (await Promise.allSettled(steps)).find((step) => step.status === 'rejected');
  if (failed) throw failed.reason;
}

function isConnected({ NetworkSettings }: Docker.ContainerInfo, id: string): boolean {
  return machineName(id) in NetworkSettings.Networks;
}

function notRemoved(docker: Docker, cause: unknown): ApiError {
  const { engine, restart } = dialectOf(docker);
  const reason = cause === undefined ? '.' : `: ${hidePaths(messageOf(cause))}`;
  const message = `The ${engine} does not remove the container${reason}`;
  return new ApiError('internal', message, { remedy: restart, cause });
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_found';
}

/** The Engine has killed the container, and on a busy host did not see it end in time. */
function isSlow(error: unknown): boolean {
  return /did not receive an exit event/.test(messageOf(error));
}

/** Ignores status 304: the container is already in the wanted state. */
async function unlessDone(step: Promise<unknown>): Promise<void> {
  await step.catch((error) => {
    if (statusOf(error) !== 304) throw error;
  });
}
