import { readFile } from 'node:fs/promises';
import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { includesEverything } from '../../../lib/net/cidr.js';
import { isRemote } from '../client.js';
import type { HelperRunner } from '../helper.js';
import { type FirewallPolicy, tableName } from './firewall-rules.js';
import { type Guard, listGuards, openGuard, removeGuards } from './guard.js';
import { guardCommand } from './guard-script.js';

/** The host's name servers may change: the rules are made again after this time. */
const RESOLVERS_MS = 5 * 60_000;

interface Opening {
  readonly guard: Promise<Guard>;
  readonly at: number;
}

export type FirewallOptions = Omit<FirewallPolicy, 'resolvers'>;

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
  readonly #connecting = new Set<Promise<Guard>>();
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
   * Checks the rules and resolves when they are in force. Rejects with `unsupported` if the host's
   * kernel cannot load them: then no machine may start.
   */
  async ensure(): Promise<void> {
    try {
      const reason = await this.#check();
      if (reason !== undefined) throw unsupported(reason);
      this.#problem = undefined;
    } catch (error) {
      // All networks are allowed, so missing rules are no risk.
      if (includesEverything(this.#options.allowNetworks)) return;
      this.#problem = isOfRules(error) ? error : undefined;
      throw error;
    }
  }

  /** Closes the connection; the rules stay. */
  disconnect(): void {
    this.#drop(this.#opening);
  }

  /** Removes the rules and what keeps them, for good: no machine is left. */
  async remove(): Promise<void> {
    this.#isEnding = true;
    const opening = this.#opening;
    const ending = opening?.guard.then((guard) => guard.end());
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
    const command = ['nft', 'delete', 'table', 'inet', tableName(this.#options.serviceId)];
    await this.#helper.run({ command, capabilities: ['NET_ADMIN'], network: 'host' });
  }

  async #check(): Promise<string | undefined> {
    if (this.#opening && performance.now() - this.#opening.at > RESOLVERS_MS) this.disconnect();
    const opening = this.#open();
    try {
      return await (await opening.guard).check();
    } catch {
      // The guard was removed, or the Engine was away.
      this.#drop(opening);
      return (await this.#open().guard).check();
    }
  }

  /** Shared by all who ask. */
  #open(): Opening {
    this.#opening ??= { guard: this.#connectOnce(), at: performance.now() };
    const opening = this.#opening;
    opening.guard.catch(() => this.#drop(opening));
    return opening;
  }

  #drop(opening: Opening | undefined): void {
    if (this.#opening === opening) this.#opening = undefined;
    opening?.guard.then((guard) => guard.close()).catch(() => undefined);
  }

  #connectOnce(): Promise<Guard> {
    // A check that was in progress would bring the rules back.
    if (this.#isEnding) return Promise.reject(ended());
    const connecting = this.#connect();
    this.#connecting.add(connecting);
    const forget = () => void this.#connecting.delete(connecting);
    connecting.then(forget, forget);
    return connecting;
  }

  async #connect(): Promise<Guard> {
    const resolvers = await findResolvers(this.#docker, this.#helper);
    const command = guardCommand({ ...this.#options, resolvers });
    return openGuard(this.#docker, this.#helper, this.#options.serviceId, command);
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

/**
 * The name servers that the Engine forwards computers' DNS queries to: its own setting, else the
 * host's. With systemd-resolved, like the Engine, those behind the stub on 127.0.0.53.
 */
async function findResolvers(
  docker: Docker,
  helper: HelperRunner,
  signal?: AbortSignal,
): Promise<string[]> {
  if (isRemote(docker)) {
    const command = ['cat', '/etc/resolv.conf'];
    const { output } = await helper.run({ command, capabilities: [], network: 'host' }, signal);
    return nameServers(output);
  }
  const configured = dnsSetting(await read('/etc/docker/daemon.json'));
  if (configured.length > 0) return configured;
  const direct = nameServers(await read('/etc/resolv.conf'));
  return direct.length > 0 ? direct : nameServers(await read('/run/systemd/resolve/resolv.conf'));
}

/** IPv4 name servers of a resolv.conf, without loopback addresses. */
export function nameServers(text: string): string[] {
  const found = [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map((match) => match[1] ?? '');
  return found.filter(isReachable);
}

function dnsSetting(text: string): string[] {
  try {
    const { dns } = JSON.parse(text) as { dns?: unknown };
    return Array.isArray(dns) ? dns.map(String).filter(isReachable) : [];
  } catch {
    return [];
  }
}

function isReachable(address: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(address) && !address.startsWith('127.');
}

function read(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
