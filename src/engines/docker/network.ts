import { networkInterfaces } from 'node:os';
import type Docker from 'dockerode';
import { ApiError } from '../../contract/errors.js';
import { ask, askToMake, isRemote, QUICK_MS, STEP_MS } from './client.js';
import { statusOf, wordsOf } from './errors.js';
import { bridgeName, LABEL, machineName } from './ids.js';
import type { Subnets } from './subnets.js';

const ATTEMPTS = 10;

/** A machine's own network on the Engine: one bridge with one container. */
export class Networks {
  readonly #docker: Docker;
  readonly #serviceId: string;
  readonly #subnets: Subnets;

  constructor(docker: Docker, serviceId: string, subnets: Subnets) {
    this.#docker = docker;
    this.#serviceId = serviceId;
    this.#subnets = subnets;
  }

  /** Idempotent. The Engine decides which subnets are free: others may be taking them right now. */
  async create(id: string, signal?: AbortSignal): Promise<void> {
    // Seldom taken, and asking for the list takes as long as being refused.
    let taken = this.#hostNetworks();
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#create(id, this.#subnets.choose(id, taken), signal);
        return;
      } catch (error) {
        if (statusOf(error) === 409 || /already exists/i.test(wordsOf(error))) {
          if (await this.#isOurs(id, signal)) return;
        }
        if (attempt === ATTEMPTS || !/overlap|conflicts with/i.test(wordsOf(error))) throw error;
      }
      taken = [...this.#hostNetworks(), ...(await this.#engineNetworks(signal))];
    }
  }

  /**
   * Makes the network again for a stopped machine that lost it (`docker network prune`): its
   * container knows the old one by its id and has to be told of the new one.
   */
  async restore(id: string, signal?: AbortSignal): Promise<void> {
    await this.create(id, signal);
    const network = this.#docker.getNetwork(machineName(id));
    const Container = machineName(id);
    await ask(QUICK_MS, signal, (abortSignal) =>
      network.disconnect({ Container, Force: true, abortSignal }),
    ).catch(() => undefined);
    await ask(QUICK_MS, signal, () => network.connect({ Container }));
  }

  /** Idempotent. */
  async remove(id: string, signal?: AbortSignal): Promise<void> {
    const network = this.#docker.getNetwork(machineName(id));
    const remove = () =>
      ask(STEP_MS, signal, (abortSignal) => network.remove({ abortSignal })).catch((error) => {
        if (statusOf(error) !== 404) throw error;
      });
    try {
      await remove();
    } catch (error) {
      if (statusOf(error) !== 403) throw error;
      await this.#disconnectAll(network, signal);
      await remove();
    }
  }

  async #create(id: string, subnet: string, signal: AbortSignal | undefined): Promise<void> {
    await askToMake(signal, (abortSignal) =>
      this.#docker.createNetwork({
        Name: machineName(id),
        Driver: 'bridge',
        CheckDuplicate: true,
        EnableIPv6: false,
        IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
        Options: {
          'com.docker.network.bridge.name': bridgeName(this.#serviceId, id),
          'com.docker.network.bridge.enable_icc': 'false',
        },
        Labels: { [LABEL.service]: this.#serviceId, [LABEL.machine]: id },
        abortSignal,
      }),
    );
  }

  async #isOurs(id: string, signal: AbortSignal | undefined): Promise<boolean> {
    const { Labels } = await ask(QUICK_MS, signal, () =>
      this.#docker.getNetwork(machineName(id)).inspect(),
    );
    if (Labels?.[LABEL.service] === this.#serviceId) return true;
    const message = `The Docker network ${machineName(id)} belongs to something else; remove it.`;
    throw new ApiError('internal', message);
  }

  async #engineNetworks(signal: AbortSignal | undefined): Promise<string[]> {
    const networks = await ask(QUICK_MS, signal, (abortSignal) =>
      this.#docker.listNetworks({ abortSignal }),
    );
    return networks.flatMap(({ IPAM }) =>
      (IPAM?.Config ?? []).flatMap(({ Subnet }) => (Subnet === undefined ? [] : [Subnet])),
    );
  }

  /** Networks that the host itself is in: taking one would cut the host off from it. */
  #hostNetworks(): string[] {
    if (isRemote(this.#docker)) return [];
    return Object.values(networkInterfaces()).flatMap((addresses) =>
      (addresses ?? []).flatMap(({ family, cidr }) => (family === 'IPv4' && cidr ? [cidr] : [])),
    );
  }

  /** Something else was connected to it by hand, or the Engine forgot that a container is gone. */
  async #disconnectAll(network: Docker.Network, signal: AbortSignal | undefined): Promise<void> {
    const { Containers } = await ask(QUICK_MS, signal, () => network.inspect());
    for (const container of Object.keys(Containers ?? {})) {
      await ask(QUICK_MS, signal, (abortSignal) =>
        network.disconnect({ Container: container, Force: true, abortSignal }),
      ).catch(() => undefined);
    }
  }
}
