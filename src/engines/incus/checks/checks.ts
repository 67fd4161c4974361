import { isIP } from 'node:net';
import { isPublicAddress } from '../../../lib/net/special-networks.js';
import type { CheckResult, EngineCheck } from '../../descriptor.js';
import { type OperatorProgram, operatorProgram, type ServerInfo } from '../client/facts.js';
import { listMembers, type Member } from '../client/members.js';
import { withCluster } from '../open.js';
import { probeCluster } from '../probe.js';
import { readSettings } from '../settings.js';

const members: EngineCheck = {
  name: 'incus-members',
  title: 'Members',
  async run(stateDirectory, signal) {
    const settings = await readSettings(stateDirectory);
    if (settings === undefined) {
      return { status: 'skipped', detail: 'no cluster is set up' };
    }
    return withCluster(stateDirectory, async (cluster) => {
      if (!(await probeCluster(cluster, signal)).usable) {
        return { status: 'skipped', detail: 'the cluster cannot be used' };
      }
      const found = await listMembers(cluster, signal);
      const program = operatorProgram(await cluster.ask<ServerInfo>('/1.0', { signal }));
      return judgeMembers(found, settings.urls, program);
    });
  },
};

/**
 * Whether all members answer, the network's rules were made for all of them, and as many can fail as
 * their number suggests. `known` has the members' base URLs at the last set-up.
 */
export function judgeMembers(
  found: readonly Member[],
  known: readonly string[],
  program: OperatorProgram,
): CheckResult {
  const detail = found.map(({ server_name, status }) => `${server_name}: ${status}`).join(', ');
  const away = found.find(({ status }) => status === 'Offline');
  if (away !== undefined) {
    const remedy = `start LXD or Incus on ${away.server_name} (${away.url})`;
    return { status: 'missing', detail, remedy };
  }
  const open = found.find(({ url }) => !known.includes(url) && mayBePublic(new URL(url).hostname));
  if (open !== undefined) {
    const joined = `${open.server_name} joined after vc setup: computers may reach it`;
    const remedy = 'on a member: vc setup --engine incus';
    return { status: 'missing', detail: joined, remedy };
  }
  const evacuated = found.find(({ status }) => status === 'Evacuated');
  if (evacuated !== undefined) {
    const remedy = `${program} cluster restore ${evacuated.server_name}`;
    return { status: 'ok', detail, remedy };
  }
  if (found.length === 2) {
    const remedy = 'add a third member: without either of two, the cluster stops';
    return { status: 'ok', detail, remedy };
  }
  return { status: 'ok', detail: detail || 'a server that is not clustered' };
}

/** The rules close all private addresses. */
function mayBePublic(host: string): boolean {
  return isIP(host) === 0 || isPublicAddress(host);
}

export const incusChecks: readonly EngineCheck[] = [members];
