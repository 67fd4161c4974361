import { networkInterfaces } from 'node:os';
import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { smallHostMtu } from '../../network/host-mtu.js';
import { ask, askToMake, isRemote, QUICK_MS, STEP_MS } from '../client.js';
import { dialectOf } from '../dialect.js';
import { messageOf, statusOf } from '../errors.js';
import { bridgeName, LABEL, machineName } from '../ids.js';
import type { Subnets } from './subnets.js';

const ATTEMPTS = 10;

/** The machines' networks on the Engine: each is a bridge with one container. */
export class Networks {
  readonly #docker: Docker;
  readonly #serviceId: string;
  readonly #subnets: Subnets;

  constructor(docker: Docker, serviceId: string, subnets: Subnets) {
    this.#docker = docker;
    this.#serviceId = serviceId;
    this.#subnets = subnets;
  }

  /** Idempotent. The Engine decides which subnets are free: other clients may take them too. */
  async create(id: string, signal?: AbortSignal): Promise<void> {
    // Conflicts are rare, and listing the Engine's networks takes as long as a refusal.
    let taken = this.#hostNetworks();
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#create(id, this.#subnets.choose(id, taken), signal);
        return;
      } catch (error) {
        if (statusOf(error) === 409 || /already exists/i.test(messageOf(error))) {
          if (await this.#isOurs(id, signal)) return;
        }
        if (attempt === ATTEMPTS || !/overlap|conflicts with/i.test(messageOf(error))) throw error;
      }
      taken = [...this.#hostNetworks(), ...(await this.#engineNetworks(signal))];
    }
  }

  /**
   * Connects a container to its machine's network again, and recreates the network if it is gone
   * (after `docker network prune`).
   */
  async restore(id: string, container: string, signal?: AbortSignal): Promise<void> {
    await this.create(id, signal);
    await this.disconnect(id, container, signal).catch(() => undefined);
    const network = this.#docker.getNetwork(machineName(id));
    await ask(this.#docker, QUICK_MS, signal, () => network.connect({ Container: container }));
  }

  async disconnect(id: string, container: string, signal?: AbortSignal): Promise<void> {
    const network = this.#docker.getNetwork(machineName(id));
    await ask(this.#docker, QUICK_MS, signal, (abortSignal) =>
      network.disconnect({ Container: container, Force: true, abortSignal }),
    );
  }

  /** Idempotent. */
  async remove(id: string, signal?: AbortSignal): Promise<void> {
    const network = this.#docker.getNetwork(machineName(id));
    const remove = () =>
      ask(this.#docker, STEP_MS, signal, (abortSignal) => network.remove({ abortSignal })).catch(
        (error) => {
          if (statusOf(error) !== 404) throw error;
        },
      );
    try {
      await remove();
    } catch (error) {
      if (statusOf(error) !== 403) throw error;
      await this.#disconnectAll(network, signal);
      await remove();
    }
  }

  async #create(id: string, subnet: string, signal: AbortSignal | undefined): Promise<void> {
    // That of a remote Engine's host is not known here.
    const mtu = isRemote(this.#docker) ? undefined : smallHostMtu();
    await askToMake(this.#docker, signal, (abortSignal) =>
      dialectOf(this.#docker).createNetwork(
        this.#docker,
        {
          name: machineName(id),
          bridge: bridgeName(this.#serviceId, id),
          subnet,
          mtu,
          labels: { [LABEL.service]: this.#serviceId, [LABEL.machine]: id },
        },
        abortSignal,
      ),
    );
  }

  async #isOurs(id: string, signal: AbortSignal | undefined): Promise<boolean> {
    const { Labels } = await ask(this.#docker, QUICK_MS, signal, () =>
      this.#docker.getNetwork(machineName(id)).inspect(),
    );
    if (Labels?.[LABEL.service] === this.#serviceId) return true;
    const message = `The network ${machineName(id)} does not belong to this service.`;
    const remedy = `${dialectOf(this.#docker).program} network rm ${machineName(id)}`;
    throw new ApiError('internal', message, { remedy });
  }

  async #engineNetworks(signal: AbortSignal | undefined): Promise<string[]> {
    const networks = await ask(this.#docker, QUICK_MS, signal, (abortSignal) =>
      this.#docker.listNetworks({ abortSignal }),
    );
    return networks.flatMap(({ IPAM }) =>
      (IPAM?.Config ?? []).flatMap(({ Subnet }) => (Subnet === undefined ? [] : [Subnet])),
    );
  }

  /** The host's own networks: using one for a machine would cut the host off from it. */
  #hostNetworks(): string[] {
    if (isRemote(this.#docker)) return [];
    return Object.values(networkInterfaces()).flatMap((addresses) =>
      (addresses ?? []).flatMap(({ family, cidr }) => (family === 'IPv4' && cidr ? [cidr] : [])),
    );
  }

  /** For containers that were connected by hand, or that the Engine still lists after removal. */
  async #disconnectAll(network: Docker.Network, signal: AbortSignal | undefined): Promise<void> {
    const { Containers } = await ask(this.#docker, QUICK_MS, signal, () => network.inspect());
    for (const container of Object.keys(Containers ?? {})) {
      await ask(this.#docker, QUICK_MS, signal, (abortSignal) =>
        network.disconnect({ Container: container, Force: true, abortSignal }),
      ).catch(() => undefined);
    }
  }
}
