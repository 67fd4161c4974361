import type Docker from 'dockerode';
import type { CheckResult, EngineCheck } from '../../descriptor.js';
import { connectDocker } from '../client.js';
import { type HelperRunner, Helpers } from '../helper.js';
import { currentImages } from '../images/list.js';
import { findAbandoned } from '../network/abandoned.js';
import { probeDocker } from '../probe.js';

/** Firewall rules that services left which were killed and have not come back. */
export const abandonedCheck: EngineCheck = {
  name: 'docker-abandoned-rules',
  title: 'Old firewall rules',
  run: (_, signal) => {
    const docker = connectDocker();
    return checkAbandoned(docker, new Helpers(docker, 'command-line'), signal);
  },
};

export async function checkAbandoned(
  docker: Docker,
  helper: HelperRunner,
  signal: AbortSignal,
): Promise<CheckResult> {
  if (!(await probeDocker(docker, signal)).usable) {
    return { status: 'skipped', detail: 'docker cannot be used' };
  }
  const images = await currentImages(docker, signal);
  if (!images.some(({ os }) => os === 'linux')) {
    return { status: 'skipped', detail: 'there is no image to look at the rules with' };
  }
  const abandoned = await findAbandoned(docker, helper, undefined, signal);
  // One that may be idle is not reported while its guard runs.
  const left = abandoned.filter(({ guards, ownerIsGone }) => ownerIsGone || guards.length === 0);
  if (left.length === 0) return { status: 'ok', detail: 'none' };
  const commands = left.map(({ table, guards }) =>
    [
      ...guards.map(({ Id }) => `docker rm -f ${Id.slice(0, 12)}`),
      `sudo nft delete table inet ${table}`,
    ].join(' && '),
  );
  const detail = `${left.map(({ table }) => table).join(', ')}: of services that no longer run`;
  return { status: 'stale', detail, remedy: commands.join(' && ') };
}
