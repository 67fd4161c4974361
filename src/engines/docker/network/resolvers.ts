import { readFile } from 'node:fs/promises';
import type Docker from 'dockerode';
import { isRemote } from '../client.js';
import type { HelperRunner } from '../helper.js';

/**
 * The name servers that the Engine forwards computers' DNS queries to: its own setting, else the
 * host's. With systemd-resolved, like the Engine, those behind the stub on 127.0.0.53.
 */
export async function findResolvers(
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
