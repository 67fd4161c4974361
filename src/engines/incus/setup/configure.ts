import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';
import { smallHostMtu } from '../../network/host-mtu.js';
import type { Cluster } from '../client/cluster.js';
import type { ServerInfo } from '../client/facts.js';
import { listMembers, type Member } from '../client/members.js';
import { isMissing } from '../machine/instances.js';
import { type ClientCertificate, makeSettingsDirectory, writeSettings } from './certificate.js';
import {
  type AclRule,
  egressRules,
  NAMES,
  networkConfig,
  projectConfig,
  withMembers,
} from './objects.js';

export interface ConfigureOptions {
  readonly stateDirectory: string;
  /** Configuration of the storage pool on each member, for example its size. */
  readonly poolConfig?: Readonly<Record<string, string>>;
  readonly poolDriver: string;
  readonly signal?: AbortSignal | undefined;
  onProgress?(line: string): void;
}

interface OperatorInfo extends ServerInfo {
  readonly config?: Readonly<Record<string, string>> | null;
  readonly environment?: ServerInfo['environment'] & { readonly certificate?: string };
}

interface Acl {
  readonly description?: string;
  readonly config?: Readonly<Record<string, string>> | null;
  readonly ingress?: readonly unknown[] | null;
  readonly egress?: readonly AclRule[] | null;
}

/** Where a server of one host listens: only this host can reach it. */
const LOCAL_ADDRESS = '127.0.0.1:8443';

/**
 * Prepares a cluster for vc and gives this state directory access to it: storage, a network with its
 * rules, a restricted project, and a certificate for that project. A server that is not clustered
 * becomes a cluster of one, which others can join. Keeps what is there already; the rules of the network
 * get the addresses of members that joined meanwhile.
 */
export async function configureCluster(cluster: Cluster, options: ConfigureOptions): Promise<void> {
  const { onProgress = () => undefined, signal } = options;
  // Before the cluster is changed: it may be another user's.
  makeSettingsDirectory(options.stateDirectory);
  onProgress('preparing the cluster');
  await ensureClustered(cluster, signal);
  const members = await listMembers(cluster, signal);
  const targets = members.map(({ server_name }) => server_name);
  const { poolDriver: driver, poolConfig: config = {} } = options;
  await ensureOnMembers(cluster, '/1.0/storage-pools', { name: NAMES.pool, driver }, targets, {
    onMember: config,
    everywhere: {},
  });
  await ensureRules(cluster, await addressesOf(members), signal);
  const network = { name: NAMES.network, type: 'bridge' };
  const mtu = smallHostMtu();
  await ensureOnMembers(cluster, '/1.0/networks', network, targets, {
    onMember: {},
    everywhere: { ...networkConfig, ...(mtu !== undefined && { 'bridge.mtu': `${mtu}` }) },
  });
  await ensure(cluster, '/1.0/projects', { name: NAMES.project, config: projectConfig });
  await trust(
    cluster,
    options.stateDirectory,
    members.map(({ url }) => url),
    signal,
  );
}

async function ensureClustered(cluster: Cluster, signal: AbortSignal | undefined): Promise<void> {
  const { environment, config } = await cluster.ask<OperatorInfo>('/1.0', { signal });
  if (environment?.server_clustered) return;
  if (!config?.['core.https_address']) {
    const body = { config: { 'core.https_address': LOCAL_ADDRESS } };
    await cluster.run('/1.0', { method: 'PATCH', body, signal });
  }
  const body = { server_name: hostname(), enabled: true };
  await cluster.run('/1.0/cluster', { method: 'PUT', body, signal });
}

/** Makes an object of the whole cluster unless there is one of its name. */
async function ensure(
  cluster: Cluster,
  path: string,
  body: { readonly name: string } & Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<void> {
  if (await exists(cluster, `${path}/${body.name}`, signal)) return;
  await cluster.run(path, { method: 'POST', body, signal });
}

/** Makes the rules of the network, or adds what they lack: members may have joined. */
async function ensureRules(
  cluster: Cluster,
  members: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const egress = egressRules(members);
  await ensure(cluster, '/1.0/network-acls', { name: NAMES.acl, egress }, signal);
  const path = `/1.0/network-acls/${NAMES.acl}`;
  const {
    description,
    config,
    ingress,
    egress: present,
  } = await cluster.ask<Acl>(path, { signal });
  const more = withMembers(present ?? [], members);
  if (more === undefined) return;
  // LXD replaces the whole object.
  const body = { description, config, ingress, egress: more };
  await cluster.run(path, { method: 'PUT', body, signal });
}

/** The IPv4 addresses at which members reach each other; machines have no IPv6. */
async function addressesOf(members: readonly Member[]): Promise<string[]> {
  const found = await Promise.all(
    members.map(({ url }) => lookup(new URL(url).hostname.replace(/^\[|\]$/g, ''), { all: true })),
  );
  const addresses = found.flat().filter(({ family }) => family === 4);
  return [...new Set(addresses.map(({ address }) => address))];
}

/** Makes an object that each member has a part of. */
async function ensureOnMembers(
  cluster: Cluster,
  path: string,
  body: { readonly name: string } & Readonly<Record<string, unknown>>,
  members: readonly string[],
  config: {
    readonly onMember: Readonly<Record<string, string>>;
    readonly everywhere: Readonly<Record<string, string>>;
  },
): Promise<void> {
  if (await exists(cluster, `${path}/${body.name}`)) return;
  for (const member of members) {
    const target = `${path}?target=${encodeURIComponent(member)}`;
    await cluster.run(target, { method: 'POST', body: { ...body, config: config.onMember } });
  }
  await cluster.run(path, { method: 'POST', body: { ...body, config: config.everywhere } });
}

async function exists(cluster: Cluster, path: string, signal?: AbortSignal): Promise<boolean> {
  try {
    // A part that an interrupted set-up left is no complete object.
    const { status } = await cluster.ask<{ status?: string }>(path, { signal });
    return status === undefined || /created/i.test(status);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Restricts the certificate of the service to its project. */
async function trust(
  cluster: Cluster,
  stateDirectory: string,
  urls: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const { environment } = await cluster.ask<OperatorInfo>('/1.0', { signal });
  const { project } = NAMES;
  const serverCertificate = environment?.certificate ?? '';
  const made = await writeSettings(stateDirectory, { urls, project, serverCertificate }, signal);
  const known = await cluster.ask<{ fingerprint: string }[]>('/1.0/certificates?recursion=1', {
    signal,
  });
  if (known.some(({ fingerprint }) => fingerprint === made.fingerprint)) return;
  await cluster.run('/1.0/certificates', { method: 'POST', body: certificateOf(made), signal });
}

function certificateOf({ der }: ClientCertificate) {
  const certificate = der.toString('base64');
  const name = `vc on ${hostname()}`;
  return { name, type: 'client', restricted: true, projects: [NAMES.project], certificate };
}
