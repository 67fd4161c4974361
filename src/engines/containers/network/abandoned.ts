import type Docker from 'dockerode';
import { ask, QUICK_MS } from '../client.js';
import type { HelperRunner } from '../helper.js';
import { bridgePrefix, LABEL } from '../ids.js';
import { listContainers } from '../requests.js';
import { removalOf, tableName } from './firewall-rules.js';
import { listGuards, removeGuards } from './guard.js';
import { isOwnerGone } from './guard-owner.js';

/** Firewall rules that no computer needs, of a service that was killed and has not come back. */
export interface AbandonedRules {
  readonly table: string;
  /** The containers that keep the rules; none if only the table is left. */
  readonly guards: readonly Docker.ContainerInfo[];
  /** The service's process has certainly ended; otherwise it may be idle. */
  readonly ownerIsGone: boolean;
}

/** Rules of services, except `serviceId`, that have no computer, running or stopped, on the Engine. */
export async function findAbandoned(
  docker: Docker,
  helper: HelperRunner,
  serviceId: string | undefined,
  signal?: AbortSignal,
): Promise<AbandonedRules[]> {
  // Tables first: a service creates its guard before its table.
  const { tables, bridges } = await rulesOfHost(helper, signal);
  const isNeeded = await neededServices(docker, signal);
  const guards = await listGuards(docker);
  const found: AbandonedRules[] = [];
  for (const id of new Set(guards.map(serviceOf))) {
    const ofService = guards.filter((guard) => serviceOf(guard) === id);
    const table = tableName(id);
    tables.delete(table);
    if (id === serviceId || isNeeded(id)) continue;
    if (bridges.some((name) => name.startsWith(bridgePrefix(id)))) continue;
    const owners = ofService.map(({ Labels }) => isOwnerGone(docker, Labels[LABEL.process]));
    const ownerIsGone = (await Promise.all(owners)).every(Boolean);
    found.push({ table, guards: ofService, ownerIsGone });
  }
  for (const table of tables) {
    // The names of table and bridges begin with the same hash of the service's id.
    const prefix = table.replace('_', '').slice(0, bridgePrefix('').length);
    if (serviceId !== undefined && table === tableName(serviceId)) continue;
    if (bridges.some((name) => name.startsWith(prefix))) continue;
    found.push({ table, guards: [], ownerIsGone: false });
  }
  return found;
}

/** Removes the rules of services that are certainly gone. Returns the names of their tables. */
export async function removeAbandoned(
  docker: Docker,
  helper: HelperRunner,
  serviceId: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const isAlone = (await listGuards(docker)).every((guard) => serviceOf(guard) === serviceId);
  if (isAlone) return [];
  const abandoned = await findAbandoned(docker, helper, serviceId, signal);
  const gone = abandoned.filter(({ ownerIsGone }) => ownerIsGone);
  for (const rules of gone) await removeRules(docker, helper, rules, signal);
  return gone.map(({ table }) => table);
}

/** Removes abandoned rules and what keeps them. */
export async function removeRules(
  docker: Docker,
  helper: HelperRunner,
  { table, guards }: AbandonedRules,
  signal?: AbortSignal,
): Promise<void> {
  // The guard first: it would put the table back.
  await removeGuards(docker, guards);
  await runOnHost(helper, removalOf(table), signal);
}

function serviceOf({ Labels }: Docker.ContainerInfo): string {
  return Labels[LABEL.firewall] ?? '';
}

async function rulesOfHost(helper: HelperRunner, signal: AbortSignal | undefined) {
  const script = 'nft list tables; ip -o link show type bridge';
  const output = await runOnHost(helper, ['bash', '-c', script], signal);
  const tables = new Set<string>();
  for (const [, name = ''] of output.matchAll(/^table inet (vc_[0-9a-f]{12})$/gm)) tables.add(name);
  const bridges = [...output.matchAll(/^\d+: ([^:@\s]+)/gm)].map(([, name = '']) => name);
  return { tables, bridges };
}

async function runOnHost(
  helper: HelperRunner,
  command: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string> {
  const task = { command, capabilities: ['NET_ADMIN'], network: 'host' } as const;
  return (await helper.run(task, signal)).output;
}

/** Whether a service has a container or network on the Engine. */
async function neededServices(docker: Docker, signal: AbortSignal | undefined) {
  const filters = { label: [LABEL.service] };
  const [containers, networks] = await Promise.all([
    listContainers(docker, filters, signal),
    ask(docker, QUICK_MS, signal, (abortSignal) => docker.listNetworks({ filters, abortSignal })),
  ]);
  const ids = new Set([...containers, ...networks].map(({ Labels }) => Labels?.[LABEL.service]));
  return (serviceId: string) => ids.has(serviceId);
}
