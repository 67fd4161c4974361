import { readFile } from 'node:fs/promises';
import type Docker from 'dockerode';
import { isRemote } from './client.js';
import type { HelperRunner } from './helper.js';

/**
 * The name servers that the Engine forwards computers' questions to: its own setting, else the
 * host's. With systemd-resolved those behind its stub on 127.0.0.53, as the Engine does it.
 */
export async function findResolvers(
  docker: Docker,
  helper: HelperRunner,
  signal?: AbortSignal,
): Promise<string[]> {
  if (isRemote(docker)) {
    const task = {
      command: ['cat', '/etc/resolv.conf'],
      capabilities: [],
      network: 'host',
    } as const;
    return nameServers((await helper.run(task, signal)).output);
  }
  const configured = dnsSetting(await read('/etc/docker/daemon.json'));
  if (configured.length > 0) return configured;
  const direct = nameServers(await read('/etc/resolv.conf'));
  return direct.length > 0 ? direct : nameServers(await read('/run/systemd/resolve/resolv.conf'));
}

/** IPv4 name servers of a resolv.conf, without those that only the host itself can reach. */
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
