import type Docker from 'dockerode';
import { ApiError } from '../../contract/errors.js';
import { isOpen } from '../network/ranges.js';
import { type FirewallPolicy, firewallRules } from './firewall-rules.js';
import type { HelperRunner } from './helper.js';
import { findResolvers } from './resolvers.js';

/** Rules that were laid down longer ago than this may have been flushed by somebody. */
const FRESH_MS = 5 * 60_000;

export type FirewallOptions = Omit<FirewallPolicy, 'resolvers'>;

/**
 * Keeps the rules in the kernel of the Engine's host. A container with NET_ADMIN in the host's
 * network lays them down, because the service may be an ordinary user.
 */
export class Firewall {
  readonly #docker: Docker;
  readonly #helper: HelperRunner;
  readonly #options: FirewallOptions;
  #applied: { readonly done: Promise<void>; readonly at: number } | undefined;

  constructor(docker: Docker, helper: HelperRunner, options: FirewallOptions) {
    this.#docker = docker;
    this.#helper = helper;
    this.#options = options;
  }

  /** The rules may be gone: the Engine or its host was away. */
  invalidate(): void {
    this.#applied = undefined;
  }

  /**
   * Resolves when the rules are in force; at once while they are known to be. Laying them down is
   * shared by all who ask and goes on if one of them leaves. Rejects with `unsupported` where the
   * host's kernel cannot hold them: a machine must not start without.
   */
  async ensure(): Promise<void> {
    if (this.#applied && performance.now() - this.#applied.at > FRESH_MS) {
      // In force as far as anyone knows: laid down again without letting anybody wait.
      const { done } = this.#applied;
      await done;
      this.#begin(done);
    }
    await (this.#applied ?? this.#begin()).done;
  }

  #begin(meanwhile?: Promise<void>): { readonly done: Promise<void> } {
    const applying = this.#apply();
    const applied = { done: meanwhile ?? applying, at: performance.now() };
    this.#applied = applied;
    applying.catch(() => {
      if (this.#applied === applied) this.#applied = undefined;
    });
    return applied;
  }

  async #apply(): Promise<void> {
    const open = isOpen(this.#options.allowNetworks);
    try {
      const resolvers = await findResolvers(this.#docker, this.#helper);
      const policy = { ...this.#options, resolvers };
      const refused = await this.#load(firewallRules(policy, 'rate'));
      if (refused === undefined) return;
      const still = await this.#load(firewallRules(policy, 'no rate'));
      if (still !== undefined) throw unsupported(still);
    } catch (error) {
      // Nothing is to be closed; rules that an earlier, stricter service left are replaced if possible.
      if (!open) throw error;
    }
  }

  /** What nft said when it refused. */
  async #load(rules: string): Promise<string | undefined> {
    const { code, output } = await this.#helper.run({
      command: ['nft', rules],
      capabilities: ['NET_ADMIN'],
      network: 'host',
    });
    return code === 0 ? undefined : output;
  }
}

function unsupported(output: string): ApiError {
  const words = output.split('\n').find((line) => line.trim() !== '') ?? 'nft failed';
  return new ApiError(
    'unsupported',
    `The computers' networks cannot be closed on this host (${words.trim().slice(0, 200)}). ` +
      'Load nf_tables (modprobe nf_tables), or leave them open: vc serve --allow-network 0.0.0.0/0',
  );
}
