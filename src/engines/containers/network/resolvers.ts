import { readFile } from 'node:fs/promises';
import type Docker from 'dockerode';
import { isRemote } from '../client.js';
import { type Dialect, dialectOf } from '../dialect.js';
import type { HelperRunner } from '../helper.js';

/** The name servers of the Engine's host. */
export interface Resolvers {
  /** IPv4 addresses outside the host's loopback. */
  readonly addresses: readonly string[];
  /** The Engine forwards queries to all of its name servers from the network of the computer. */
  readonly areForwarded: boolean;
}

/**
 * The name servers that the Engine forwards computers' DNS queries to: its own setting, else the
 * host's. With systemd-resolved, like the Engine, those behind the stub on 127.0.0.53.
 */
export async function findResolvers(
  docker: Docker,
  helper: HelperRunner,
  signal?: AbortSignal,
): Promise<Resolvers> {
  const dialect = dialectOf(docker);
  if (isRemote(docker)) {
    const command = ['cat', '/etc/resolv.conf'];
    const { output } = await helper.run({ command, capabilities: [], network: 'host' }, signal);
    return resolversOf(dialect, nameServers(output));
  }
  const configured = dnsSetting(await read('/etc/docker/daemon.json'));
  if (configured.length > 0) return resolversOf(dialect, configured);
  const direct = resolversOf(dialect, nameServers(await read('/etc/resolv.conf')));
  return direct.addresses.length > 0
    ? direct
    : resolversOf(dialect, nameServers(await read('/run/systemd/resolve/resolv.conf')));
}

/** Docker asks name servers on the loopback, and those with IPv6, from the host. */
export function resolversOf(
  { hasResolver }: Pick<Dialect, 'hasResolver'>,
  all: readonly string[],
): Resolvers {
  const addresses = all.filter(isReachable);
  const areForwarded = addresses.length > 0 && addresses.length === all.length;
  return { addresses, areForwarded: areForwarded || !hasResolver };
}

/** The name servers of a resolv.conf. */
export function nameServers(text: string): string[] {
  return [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map((match) => match[1] ?? '');
}

function dnsSetting(text: string): string[] {
  try {
    const { dns } = JSON.parse(text) as { dns?: unknown };
    return Array.isArray(dns) ? dns.map(String) : [];
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
