import { ApiError } from '../../contract/errors.js';
import { errorMessage } from '../../lib/text/error-message.js';
import type { Probe } from '../engine.js';
import type { Cluster } from './client/cluster.js';
import { readFacts, readProject, type ServerInfo } from './client/facts.js';
import { clusterErrorOf } from './errors.js';

const PROBE_MS = 4_000;
const SET_UP = 'vc setup --engine incus';
const LIST_MEMBERS = 'on a member: lxc cluster list, with Incus: incus cluster list';

export const NOT_SET_UP: Probe = {
  usable: false,
  reason: 'no cluster of LXD or Incus is set up',
  remedy: SET_UP,
};

/** Whether the cluster answers, knows this service, and has what machines need. Never throws. */
export async function probeCluster(cluster: Cluster, signal?: AbortSignal): Promise<Probe> {
  const limit = AbortSignal.timeout(PROBE_MS);
  const within = signal ? AbortSignal.any([signal, limit]) : limit;
  try {
    const info = await cluster.ask<ServerInfo>('/1.0', { ms: PROBE_MS, signal: within });
    if (info.auth !== 'trusted') {
      return unusable('the cluster does not know the certificate of this service');
    }
    const { config } = await readProject(cluster, within);
    if (config.restricted !== 'true') {
      return unusable(`the project "${cluster.project}" of the cluster is not restricted`);
    }
    await readFacts(cluster, within);
    const { server = 'lxd', server_version: version = '' } = info.environment ?? {};
    const name = server === 'incus' ? 'Incus' : 'LXD';
    return { usable: true, version, detail: `${name} ${version} at ${cluster.urls[0]}` };
  } catch (error) {
    return { usable: false, ...why(cluster, limit.aborted ? undefined : error) };
  }
}

function why(cluster: Cluster, error: unknown): { reason: string; remedy: string } {
  const at = cluster.urls.join(', ');
  if (error === undefined) {
    return { reason: `no member answers in time: ${at}`, remedy: LIST_MEMBERS };
  }
  const { status } = clusterErrorOf(error) ?? {};
  if (status === 403 || status === 404) {
    const reason = `the project "${cluster.project}" of the cluster is not there for this service`;
    return { reason, remedy: SET_UP };
  }
  const reason = `${errorMessage(error).replace(/\.$/, '')}: ${at}`;
  const remedy = error instanceof ApiError ? error.remedy : undefined;
  return {
    reason,
    remedy: remedy === undefined || remedy === 'vc doctor' ? LIST_MEMBERS : remedy,
  };
}

function unusable(reason: string): Probe {
  return { usable: false, reason, remedy: SET_UP };
}
