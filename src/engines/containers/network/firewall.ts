import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import {
  type ComputerNetwork,
  isRestricted,
  type RefusedName,
} from '../../../contract/resources/network.js';
import { Queue } from '../../../lib/async/queue.js';
import { includesEverything } from '../../../lib/net/cidr.js';
import type { MachineNetworks } from '../../engine.js';
import { hasDomains, resolvesNoNames } from '../../network/allow-list.js';
import { parseRefusedNames } from '../../network/refused-names.js';
import { notThrottled, throttleOf } from '../../network/throttle.js';
import { type Dialect, dialectOf } from '../dialect.js';
import type { HelperRunner } from '../helper.js';
import { bridgeName } from '../ids.js';
import { type FirewallPolicy, removalOf, tableName } from './firewall-rules.js';
import { type Guard, listGuards, openGuard, removeGuards } from './guard.js';
import { guardCommand } from './guard-script.js';
import { linesOfThrottle, policyOf } from './policies.js';
import { findResolvers, type Resolvers } from './resolvers.js';

/** The host's name servers may change: the rules are made again after this time. */
const RESOLVERS_MS = 5 * 60_000;

interface Opening {
  readonly connection: Promise<Connection>;
  readonly at: number;
}

/** A guard, and the networks of machines that it keeps, as JSON by their bridges. */
interface Connection {
  readonly guard: Guard;
  readonly resolvers: Resolvers;
  readonly kept: Map<string, string>;
  /** Why it does not keep the network of a bridge that it was given. */
  readonly refused: Map<string, string>;
  readonly queue: Queue;
}

export interface FirewallOptions extends Omit<FirewallPolicy, 'resolvers'> {
  /** What single machines may reach at present. */
  networks(): MachineNetworks;
}

/**
 * The rules in the kernel of the Engine's host. A container with NET_ADMIN in the host's network
 * keeps them there, because the service may be an ordinary user and may not always run.
 */
export class Firewall {
  readonly #docker: Docker;
  readonly #helper: HelperRunner;
  readonly #options: FirewallOptions;
  #opening: Opening | undefined;
  /** Connections that are being opened, which may create a guard. */
  readonly #connecting = new Set<Promise<Connection>>();
  #isEnding = false;
  #problem: ApiError | undefined;

  constructor(docker: Docker, helper: HelperRunner, options: FirewallOptions) {
    this.#docker = docker;
    this.#helper = helper;
    this.#options = options;
  }

  /** Why the rules were not in force at the last check; undefined if they were. */
  get problem(): ApiError | undefined {
    return this.#problem;
  }

  /**
   * Checks the rules and resolves when they are in force, and those of single machines. Rejects with
   * `unsupported` if the host's kernel cannot load them: then no machine may start. If it cannot load
   * those of a single machine, only the call for its `id` rejects.
   */
  async ensure(id?: string): Promise<void> {
    const { allowNetworks, networks, serviceId } = this.#options;
    let connection: Connection;
    try {
      const checked = await this.#check();
      if (checked.reason !== undefined) throw unsupported(checked.reason);
      ({ connection } = checked);
      this.#problem = undefined;
    } catch (error) {
      // All networks are allowed, so missing rules are no risk.
      if (includesEverything(allowNetworks) && networks().size === 0) return;
      this.#problem = isOfRules(error) ? error : undefined;
      throw error;
    }
    const network = id === undefined ? undefined : networks().get(id);
    if (id === undefined || network === undefined) return;
    this.#refuseHostQueries(connection, network);
    const refused = connection.refused.get(bridgeName(serviceId, id));
    if (refused !== undefined) throw notRestricted(refused);
  }

  /** Throttles a machine that has just started, which has a new link to its bridge. */
  async ensureThrottle(id: string): Promise<void> {
    const network = this.#options.networks().get(id);
    if (network !== undefined && throttleOf(network).egress !== '') await this.ensure(id);
  }

  /** Throws `unsupported` if single machines cannot have this network. */
  async checkNetwork(network: ComputerNetwork): Promise<void> {
    const { connection } = await this.#check();
    this.#refuseHostQueries(connection, network);
    const throttle = throttleOf(network);
    const lines = linesOfThrottle(throttle);
    const reason = lines === '' ? undefined : await connection.guard.tryThrottle(lines);
    if (reason !== undefined) throw notThrottled(throttle, reason);
    if (!hasDomains(network)) return;
    if (!this.#options.internet) throw resolvesNoNames();
    if (connection.resolvers.addresses.length === 0) throw noResolver();
    if (await connection.guard.hasNameServer()) return;
    // The image may have been built again since the guard was made.
    this.disconnect();
    if (!(await (await this.#check()).connection.guard.hasNameServer()))
      throw noNameServer(dialectOf(this.#docker));
  }

  /** The names that the list of a machine has refused. */
  async refusedNames(id: string): Promise<RefusedName[]> {
    const { guard } = await this.#open().connection;
    return parseRefusedNames(await guard.refusedNames(bridgeName(this.#options.serviceId, id)));
  }

  #refuseHostQueries({ resolvers }: Connection, network: ComputerNetwork): void {
    const { allowNetworks, internet } = this.#options;
    if (!isRestricted(network)) return;
    if ((internet || allowNetworks.length > 0) && !resolvers.areForwarded) throw asksFromHost();
  }

  /** Closes the connection; the rules stay. */
  disconnect(): void {
    this.#drop(this.#opening);
  }

  /** Removes the rules and what keeps them, for good: no machine is left. */
  async remove(): Promise<void> {
    this.#isEnding = true;
    const opening = this.#opening;
    const ending = opening?.connection.then(({ guard }) => guard.end());
    const isEnded = (await ending?.then(() => true).catch(() => false)) ?? false;
    this.disconnect();
    await Promise.allSettled(this.#connecting);
    const guards = await listGuards(this.#docker, this.#options.serviceId);
    await removeGuards(this.#docker, guards);
    const hadRules = opening !== undefined || guards.length > 0;
    if (hadRules && !isEnded) await this.#removeTable();
  }

  /** On a busy host a guard may not have come to it, or its connection was lost. */
  async #removeTable(): Promise<void> {
    const command = removalOf(tableName(this.#options.serviceId));
    await this.#helper.run({ command, capabilities: ['NET_ADMIN'], network: 'host' });
  }

  async #check(): Promise<{
    readonly connection: Connection;
    readonly reason: string | undefined;
  }> {
    if (this.#opening && performance.now() - this.#opening.at > RESOLVERS_MS) this.disconnect();
    const opening = this.#open();
    try {
      return await this.#checkOver(opening);
    } catch {
      // The guard was removed, or the Engine was away.
      this.#drop(opening);
      return this.#checkOver(this.#open());
    }
  }

  async #checkOver(opening: Opening) {
    const connection = await opening.connection;
    await connection.queue.run(() => this.#narrow(connection));
    return { connection, reason: await connection.guard.check() };
  }

  /** Gives the guard the networks of machines that have changed. */
  async #narrow({ guard, resolvers, kept, refused }: Connection): Promise<void> {
    const { networks, serviceId } = this.#options;
    const wanted = new Map(
      [...networks()].map(([id, network]) => [bridgeName(serviceId, id), network]),
    );
    for (const bridge of kept.keys()) {
      if (wanted.has(bridge)) continue;
      await guard.setPolicy(bridge, undefined);
      kept.delete(bridge);
      refused.delete(bridge);
    }
    for (const [bridge, network] of wanted) {
      const text = JSON.stringify(network);
      if (kept.get(bridge) === text) continue;
      const parts = { serviceId, bridge, resolvers: resolvers.addresses };
      const reason = await guard.setPolicy(bridge, policyOf(network, parts));
      if (reason === undefined) refused.delete(bridge);
      else refused.set(bridge, reason);
      kept.set(bridge, text);
    }
  }

  /** Shared by all who ask. */
  #open(): Opening {
    this.#opening ??= { connection: this.#connectOnce(), at: performance.now() };
    const opening = this.#opening;
    opening.connection.catch(() => this.#drop(opening));
    return opening;
  }

  #drop(opening: Opening | undefined): void {
    if (this.#opening === opening) this.#opening = undefined;
    opening?.connection.then(({ guard }) => guard.close()).catch(() => undefined);
  }

  #connectOnce(): Promise<Connection> {
    // A check that was in progress would bring the rules back.
    if (this.#isEnding) return Promise.reject(ended());
    const connecting = this.#connect();
    this.#connecting.add(connecting);
    const forget = () => void this.#connecting.delete(connecting);
    connecting.then(forget, forget);
    return connecting;
  }

  async #connect(): Promise<Connection> {
    const { networks, ...options } = this.#options;
    const resolvers = await findResolvers(this.#docker, this.#helper);
    const command = guardCommand({ ...options, resolvers: resolvers.addresses });
    const guard = await openGuard(this.#docker, this.#helper, options.serviceId, command);
    const bridges = [...networks().keys()].map((id) => bridgeName(options.serviceId, id));
    // Those of machines that were removed while no service ran.
    await guard.keepPolicies(bridges);
    return { guard, resolvers, kept: new Map(), refused: new Map(), queue: new Queue() };
  }
}

/** False for a missing image and an unavailable Engine, which are reported elsewhere. */
function isOfRules(error: unknown): error is ApiError {
  return error instanceof ApiError && !['image_missing', 'engine_unavailable'].includes(error.code);
}

function ended(): ApiError {
  return new ApiError('engine_unavailable', 'The service is stopping.');
}

function unsupported(output: string): ApiError {
  const reason = output.trim().slice(0, 200) || 'nft failed';
  const message = `The firewall of the computers' networks cannot be set up on this host (${reason}).`;
  const remedy =
    'load nf_tables (modprobe nf_tables), or allow every network: vc serve --allow-network 0.0.0.0/0';
  return new ApiError('unsupported', message, { remedy });
}

function notRestricted(output: string): ApiError {
  const reason = output.trim().slice(0, 200) || 'nft failed';
  const message = `The network of the computer cannot be restricted on this host (${reason}).`;
  return new ApiError('unsupported', message, {
    remedy: 'Allow addresses in place of domains, or remove the restriction: --network internet',
  });
}

/** Docker's own resolver would answer what the network of the computer does not let through. */
function asksFromHost(): ApiError {
  const message =
    'The network of a single computer cannot be restricted, because Docker asks a name server of this host from the host.';
  const remedy = 'Name IPv4 name servers in /etc/docker/daemon.json: {"dns": ["192.0.2.53"]}';
  return new ApiError('unsupported', message, { remedy });
}

function noResolver(): ApiError {
  const message = 'A list with domains needs an IPv4 name server in /etc/resolv.conf of the host.';
  return new ApiError('unsupported', message, { remedy: 'Use addresses in place of domains.' });
}

function noNameServer(dialect: Dialect): ApiError {
  const message = 'A list with domains needs dnsmasq, which the image does not have.';
  return new ApiError('unsupported', message, {
    remedy: `vc image build linux --engine ${dialect.name}`,
  });
}
